import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { placeByClient, placeNaively } from './cut-placements.ts';

const COUNT = 150;

describe('behind a proxy that cuts connections', () => {
  beforeEach(() => {
    // Without the random waits, of which there are hundreds.
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('places each order exactly once', async () => {
    const { orders, returned, unreachable, cuts } = await placeByClient(COUNT);
    expect({ orders, returned }).toEqual({ orders: COUNT, returned: COUNT });
    expect([unreachable, cuts.before, cuts.after].every((number) => number > 0)).toBe(true);
  });

  it('doubles orders without keys, so that the proxy does cut after responses', async () => {
    const { orders, cuts } = await placeNaively(COUNT);
    expect(orders).toBe(COUNT + cuts.after);
    expect(cuts.after).toBeGreaterThan(0);
  });
});
