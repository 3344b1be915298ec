/** Random draws that depend on a seed alone, so that a request can be generated again. */
export interface Random {
  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** Returns a size up to `limit`: half of the time close to it, otherwise of any magnitude. */
  size(limit: number): number;
}

/** Returns the draws of a seed and further numbers. The generator is mulberry32. */
export function randomOf(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x6d2b79f5);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    pick: (values) => values[below(values.length)] ?? values[0],
    size: (limit) =>
      next() < 0.5 ? limit - below(Math.max(1, limit / 64)) : Math.ceil(Math.exp(next() * Math.log(limit))),
  };
}

/** Returns `values` in a random order. */
export function shuffled<T>(values: readonly T[], random: Random): readonly T[] {
  const keyed = values.map((value) => ({ value, key: random.below(2 ** 32) }));
  return keyed.toSorted((left, right) => left.key - right.key).map(({ value }) => value);
}
