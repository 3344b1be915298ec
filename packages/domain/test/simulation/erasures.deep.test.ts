import { simulate } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { ERASURES } from './erasures.ts';

it('an erased person never returns, whatever fails and is late', async () => {
  const { faults } = await simulate({ ...ERASURES, seeds: 12 });
  expect(Object.keys(faults)).toContain('done_then_crash');
});
