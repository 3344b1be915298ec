import { expect, it } from 'vitest';
import { simulateOrders } from './simulate-orders.ts';

it.each([1, 2, 3, 4, 5])(
  'keeps every promise of orders, customers and their feed through 20,000 operations with faults, from seed %i',
  async (seed) => {
    const faults = await simulateOrders(20_000, seed);
    const kinds = [
      'crash',
      'decided_twice',
      'done_then_crash',
      'done_then_unavailable',
      'late',
      'rolled_back',
      'unavailable',
    ];
    expect([...faults.keys()].toSorted()).toEqual(kinds);
  },
);
