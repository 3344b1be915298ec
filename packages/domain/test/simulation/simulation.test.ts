import { propertyRuns } from '@orders/property-runs';
import { expect, it } from 'vitest';
import { simulateOrders } from './simulate-orders.ts';

it('keeps every promise of orders, customers and their feed through 4,000 operations with faults', async () => {
  const { seed, numRuns } = propertyRuns(4_000);
  expect((await simulateOrders(numRuns, seed)).size).toBeGreaterThan(0);
});
