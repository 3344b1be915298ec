import { simulate } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { SHOPS } from './shops.ts';

it('writes once what it sends through crashes and a bad network, with many seeds', async () => {
  const seeds = Array.from({ length: 40 }, (_, index) => 1001 + index);
  expect(await simulate({ ...SHOPS, seeds })).toMatchObject({ operations: 1200 });
});
