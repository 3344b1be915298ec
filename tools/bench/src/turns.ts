/** Returns `all` rotated by `by` places, so that none is always the first one. */
export function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const from = by % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
}

/** The samples of each thing: two for each round. */
export type Rounds<T> = readonly (readonly T[])[];

/**
 * Measures each of `turns` twice in every round, there and back (A B C C B A), so that a machine that becomes slower
 * affects all of them equally. Each round begins with another one. Returns the samples of a turn by its name.
 */
export async function inTurns<Name extends string, T>(
  rounds: number,
  turns: ReadonlyMap<Name, () => Promise<T>>,
  onRound: (round: number) => void = () => undefined,
): Promise<(name: Name) => Rounds<T>> {
  const samples = new Map<Name, T[][]>();
  for (let round = 0; round < rounds; round += 1) {
    onRound(round);
    const there = rotated([...turns], round);
    for (const [name, turn] of [...there, ...there.toReversed()]) {
      const own = samples.get(name) ?? [];
      samples.set(name, own);
      (own[round] ??= []).push(await turn());
    }
  }
  return (name) => samples.get(name) ?? [];
}

/** Returns a figure of each round: the mean of its samples. */
export function byRound<T>(rounds: Rounds<T>, of: (sample: T) => number): readonly number[] {
  return rounds.map((samples) => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length);
}

/** Returns the ratio to `before` within each round. */
export function ratios(before: readonly number[], after: readonly number[]): readonly number[] {
  return after.map((value, round) => value / (before[round] ?? Number.NaN));
}
