import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { placeByClient, placeNaively } from './cut-placements.ts';

const COUNT = 10_000;

/** It takes some twenty seconds, and several times as long beside other tests. */
const TIMEOUT_MS = 600_000;

describe('10,000 placements behind a proxy that cuts 20 % of the connections', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it(
    'give exactly 10,000 orders by the client',
    async () => {
      const placements = await placeByClient(COUNT);
      expect(placements).toMatchObject({ orders: COUNT, returned: COUNT });
      expect(placements.cuts.before).toBeGreaterThan(COUNT / 20);
      expect(placements.cuts.after).toBeGreaterThan(COUNT / 20);
      process.stdout.write(`${JSON.stringify(placements)}\n`);
    },
    TIMEOUT_MS,
  );

  it(
    'give more than 11,000 orders by a fetch that is repeated without a key',
    async () => {
      const { orders, returned, cuts } = await placeNaively(COUNT);
      expect({ orders, returned }).toEqual({ orders: COUNT + cuts.after, returned: COUNT });
      expect(orders).toBeGreaterThan(11_000);
      process.stdout.write(`${JSON.stringify({ orders, cuts })}\n`);
    },
    TIMEOUT_MS,
  );
});
