import { expect, it } from 'vitest';
import { simulateOrders } from './simulate-orders.ts';

it('keeps every promise of orders, customers and their feed through 100,000 operations with faults', async () => {
  const faults = await simulateOrders(100_000, 1);
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
});
