import type { Answer, Broken } from './exchange.ts';

/** What clients saw, counted. */
export interface Tally {
  /** Every request that was sent. */
  attempts: number;
  /** Requests that were sent more than once. */
  retried: number;
  /** Repeats that found the change made: its answer had been lost. */
  replayed: number;
  /** Answers by status. */
  readonly statuses: Map<number, number>;
  /** Requests without an answer, by why. */
  readonly broken: Map<string, number>;
  /** From the first attempt of a request to its last answer. */
  readonly tookMs: number[];
}

export function newTally(): Tally {
  return { attempts: 0, retried: 0, replayed: 0, statuses: new Map(), broken: new Map(), tookMs: [] };
}

export function count(tally: Tally, exchanged: Answer | Broken): void {
  tally.attempts += 1;
  if ('broken' in exchanged) add(tally.broken, exchanged.broken);
  else add(tally.statuses, exchanged.status);
}

/** How many answers had a status of 500 or more. */
export function serverErrors({ statuses }: Tally): number {
  return sum([...statuses].flatMap(([status, times]) => (status >= 500 ? times : [])));
}

export function brokenRequests({ broken }: Tally): number {
  return sum([...broken.values()]);
}

/** `{"503": 4}` as `503: 4`; `none` when there is nothing. */
export function told(counts: ReadonlyMap<number | string, number>): string {
  return [...counts].map(([name, times]) => `${name}: ${times}`).join(', ') || 'none';
}

/** The value below which `share` of the numbers lie. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
