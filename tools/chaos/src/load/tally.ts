import type { HttpResponse, Broken } from './exchange.ts';

/** Statistics of the requests of all clients. */
export interface Tally {
  /** All requests. */
  attempts: number;
  /** Requests that were sent more than once. */
  retried: number;
  /** Retries of changes that had happened, because their response was lost. */
  replayed: number;
  /** Responses by status. */
  readonly statuses: Map<number, number>;
  /** Requests without a response, by reason. */
  readonly broken: Map<string, number>;
  /** The duration from the first attempt of a request to its last response. */
  readonly tookMs: number[];
}

export function newTally(): Tally {
  return { attempts: 0, retried: 0, replayed: 0, statuses: new Map(), broken: new Map(), tookMs: [] };
}

export function count(tally: Tally, exchanged: HttpResponse | Broken): void {
  tally.attempts += 1;
  if ('broken' in exchanged) add(tally.broken, exchanged.broken);
  else add(tally.statuses, exchanged.status);
}

/** Returns the number of responses with a status of 500 or more. */
export function serverErrors({ statuses }: Tally): number {
  return sum([...statuses].flatMap(([status, times]) => (status >= 500 ? times : [])));
}

export function brokenRequests({ broken }: Tally): number {
  return sum([...broken.values()]);
}

/** Formats `{"503": 4}` as `503: 4`, and an empty object as `none`. */
export function formatCounts(counts: ReadonlyMap<number | string, number>): string {
  return [...counts].map(([name, times]) => `${name}: ${times}`).join(', ') || 'none';
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
