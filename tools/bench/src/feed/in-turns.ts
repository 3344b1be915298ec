import { spreadOf } from '../statistics.ts';
import type { RatioResult } from './feed-results.ts';

/** The CPU time of a request in microseconds. */
export interface Cost {
  /** That of all processes. */
  readonly all: number;
  /** That without a reader of events and its sessions of PostgreSQL. */
  readonly own: number;
}

/** Something whose cost is measured. */
type Turn = () => Promise<Cost>;

/**
 * Measures each of `turns` in every round, forwards and backwards, so that a machine that becomes slower affects all of
 * them equally. Returns their costs by round.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  turns: Readonly<Record<Name, Turn>>,
  onRound: (round: number) => void = () => undefined,
): Promise<(name: Name, part?: keyof Cost) => readonly number[]> {
  const all: readonly (readonly [string, Turn])[] = Object.entries<Turn>(turns);
  const costs = new Map<string, Cost[]>(all.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    onRound(round);
    const forwards = new Map<string, Cost>();
    for (const [name, turn] of all) forwards.set(name, await turn());
    for (const [name, turn] of all.toReversed()) {
      const [one, other] = [forwards.get(name), await turn()];
      if (one) costs.get(name)?.push({ all: (one.all + other.all) / 2, own: (one.own + other.own) / 2 });
    }
  }
  return (name, part = 'all') => (costs.get(name) ?? []).map((cost) => cost[part]);
}

/** Compares the costs of one thing with those of another one in the same rounds. */
export function ratioOf(
  title: string,
  before: readonly number[],
  after: readonly number[],
  atMost: number | null,
): RatioResult {
  const ratios = after.map((cost, round) => cost / (before[round] ?? Number.NaN));
  return { title, before: spreadOf(before), after: spreadOf(after), ratio: spreadOf(ratios), atMost };
}
