/** Pseudo-random numbers, which are the same for the same seed. */
export interface Random {
  /** Returns an integer from 0 to `limit`, exclusive. */
  below(limit: number): number;
  /** Returns true with probability `share`. */
  chance(share: number): boolean;
  /** Returns a random element; `undefined` for an empty list. */
  pick<T>(items: readonly T[]): T | undefined;
}

/** The generator "mulberry32": 32 bits of state, stepped by an odd constant and mixed. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, chance: (share) => next() < share, pick: (items) => items[below(items.length)] };
}
