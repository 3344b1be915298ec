import { simulate } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { SHOPS } from './shops.ts';

it('writes once what it sends through crashes and a bad network, and reports nothing else', async () => {
  expect(await simulate({ ...SHOPS, seeds: 10 })).toMatchObject({ seeds: 10, operations: 300 });
});
