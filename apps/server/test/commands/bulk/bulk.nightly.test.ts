import { expect, it } from 'vitest';
import { moveShop } from './move-a-shop.ts';

it('pnpm orders export and import move a shop with 10,000 orders', { timeout: 600_000 }, async () => {
  await expect(moveShop(10_000, 5)).resolves.toEqual({ same: true, imported: 11_000 });
});
