/** Pseudo-random draws, which are the same for the same seeds. */
export interface Random {
  /** Returns an integer from 0 to `limit`, exclusive. */
  below(limit: number): number;
  /** Returns true with probability `share`. */
  chance(share: number): boolean;
  /** Returns a random element; `undefined` for an empty list. */
  pick<T>(values: readonly [T, ...T[]]): T;
  pick<T>(values: readonly T[]): T | undefined;
  /** Returns a size up to `limit`: half of the time close to it, otherwise of any magnitude. */
  size(limit: number): number;
  /** Returns values in a random order. */
  shuffled<T>(values: readonly T[]): readonly T[];
}

/** Returns the draws of some seeds. The generator is mulberry32: 32 bits of state, stepped by an odd constant and mixed. */
export function random(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x6d2b79f5);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  function pick<T>(values: readonly [T, ...T[]]): T;
  function pick<T>(values: readonly T[]): T | undefined;
  function pick<T>(values: readonly T[]): T | undefined {
    return values[below(values.length)];
  }
  return {
    below,
    pick,
    chance: (share) => next() < share,
    size: (limit) =>
      next() < 0.5 ? limit - below(Math.max(1, limit / 64)) : Math.ceil(Math.exp(next() * Math.log(limit))),
    shuffled: (values) => {
      const keyed = values.map((value) => ({ value, key: below(2 ** 32) }));
      return keyed.toSorted((left, right) => left.key - right.key).map(({ value }) => value);
    },
  };
}
