import type { Spread } from '../statistics.ts';

/** The cost of a request beside that of another one. CPU times are in microseconds. */
export interface RatioResult {
  readonly title: string;
  readonly before: Spread;
  readonly after: Spread;
  /** The ratio within each round. */
  readonly ratio: Spread;
  /** The limit of the median. `null` for a figure without a goal. */
  readonly atMost: number | null;
}

/** The time from the sending of a write to the end of the response to a long poll, in milliseconds. */
export interface WakeResult {
  readonly title: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly atMost: number;
}

/** The cost of waiters in one process, without HTTP. */
export interface WaitersResult {
  readonly title: string;
  readonly waiters: number;
  readonly owners: number;
  /** CPU time of the process as a share of one core. */
  readonly server: number;
  /** The same of PostgreSQL. */
  readonly postgres: number;
  /** Bytes of heap for each waiter. */
  readonly bytes: number;
  /** The limit of both shares together. `null` for a figure without a goal. */
  readonly atMost: number | null;
}

export interface FeedResults {
  readonly run: string;
  readonly rounds: number;
  readonly ratios: readonly RatioResult[];
  readonly wakes: readonly WakeResult[];
  readonly waiters: readonly WaitersResult[];
}
