import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { placeByClient, placeNaively } from './cut-placements.ts';

/** It takes some twenty seconds, and several times as long beside other tests. */
const TIMEOUT_MS = 600_000;

describe('placements behind a proxy that cuts 20 % of the connections', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it(
    'give exactly 10,000 orders by the client',
    async () => {
      const count = 10_000;
      const placements = await placeByClient(count);
      expect(placements).toMatchObject({ orders: count, returned: count });
      expect(placements.cuts.before).toBeGreaterThan(count / 20);
      expect(placements.cuts.after).toBeGreaterThan(count / 20);
      process.stdout.write(`${JSON.stringify(placements)}\n`);
    },
    TIMEOUT_MS,
  );

  it(
    'give more than 1,100 orders for 1,000 by a fetch that is retried without a key',
    async () => {
      const count = 1000;
      const { orders, returned, cuts } = await placeNaively(count);
      expect({ orders, returned }).toEqual({ orders: count + cuts.after, returned: count });
      expect(orders).toBeGreaterThan(1100);
      process.stdout.write(`${JSON.stringify({ orders, cuts })}\n`);
    },
    TIMEOUT_MS,
  );
});
