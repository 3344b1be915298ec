import { simulate } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { simulations } from './program.ts';

it.each(simulations)('a worker delivers what owners write within %s, with many seeds', async (_, options) => {
  const seeds = Array.from({ length: 250 }, (_, index) => 1001 + index);
  expect(await simulate({ ...options, seeds })).toMatchObject({ operations: 7500 });
});
