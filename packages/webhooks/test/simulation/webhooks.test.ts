import { simulate } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { simulations } from './program.ts';

it.each(simulations)(
  'a worker delivers what owners write within %s, through crashes and failures',
  async (_, options) => {
    const { operations, faults } = await simulate({ ...options, seeds: 6 });
    expect(operations).toBe(180);
    expect(Object.keys(faults)).toEqual(expect.arrayContaining(['crash', 'done_then_crash', 'late', 'unavailable']));
  },
);
