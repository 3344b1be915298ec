import type { Spread } from '../statistics.ts';

/** The figures of a page of a list at one depth. */
export interface DepthResult {
  readonly kind: 'cursor' | 'offset';
  readonly depth: number;
  /** Buffers that PostgreSQL reads. */
  readonly buffers: number;
  /** CPU time of the server and PostgreSQL in microseconds. */
  readonly cost: Spread;
  /** Median latency of one connection, in milliseconds. */
  readonly p50: Spread;
  /** The latency as a share of that of the first page in the same round. */
  readonly ratio: Spread;
}

/** The cost of a request on a small and on a large database. */
export interface GrowthResult {
  readonly title: string;
  readonly before: Spread;
  readonly after: Spread;
  /** The ratio within each round. */
  readonly ratio: Spread;
}

export interface ScaleResults {
  readonly run: string;
  readonly orders: number;
  readonly owners: number;
  readonly rounds: number;
  readonly depths: readonly DepthResult[];
  readonly growth: readonly GrowthResult[];
}
