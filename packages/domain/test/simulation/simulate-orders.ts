import { type OrderDefinition, ORDERS } from '@orders/domain';
import { simulate } from '@orders/domain/testing';
import fc from 'fast-check';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { definitions } from '../fixtures/a-definition.ts';
import { HELD_ORDERS } from './held-orders.ts';
import { eventually, invariants, ordersProgram } from './orders-program.ts';

/** Operations of one run. */
const OPERATIONS = 250;

const HOUR_MS = 60 * 60_000;

/** Runs simulations with so many operations together, from a seed on. Returns how often each fault happened. */
export async function simulateOrders(operations: number, firstSeed: number): Promise<ReadonlyMap<string, number>> {
  const faults = new Map<string, number>();
  for (let left = operations, seed = firstSeed; left > 0; left -= OPERATIONS, seed += 1) {
    const report = await simulate({ ...optionsOf(seed), seeds: [seed], operations: Math.min(left, OPERATIONS) });
    for (const [kind, count] of Object.entries(report.faults)) faults.set(kind, (faults.get(kind) ?? 0) + count);
  }
  return faults;
}

/** Returns what is simulated with a seed: of eight seeds two have a bakery, two generated statuses and one guards, and some purge events. */
function optionsOf(seed: number) {
  const [generated] = fc.sample(definitions, { numRuns: 1, seed });
  const others: readonly (OrderDefinition | undefined)[] = [ORDERS, BAKERY, ORDERS, generated];
  const definition = seed % 8 === 6 ? HELD_ORDERS : (others[seed % 4] ?? ORDERS);
  // Clocks that differ by more let keys expire.
  const ttlMs = seed % 3 === 0 ? HOUR_MS / 6 : 24 * HOUR_MS;
  const program = ordersProgram({ definition, ttlMs, purges: seed % 5 === 1 });
  return { definition, program, invariants, eventually, operations: OPERATIONS };
}
