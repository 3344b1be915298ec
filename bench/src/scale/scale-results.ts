import type { Spread } from '../comparison/statistics.ts';

/** A page of a list at some depth. */
export interface DepthResult {
  readonly kind: 'cursor' | 'offset';
  readonly depth: number;
  /** Pages of tables and indexes that PostgreSQL touches. */
  readonly buffers: number;
  /** CPU of the server and PostgreSQL, in microseconds. */
  readonly cost: Spread;
  /** Median latency of one connection, in milliseconds. */
  readonly p50: Spread;
  /** That latency as a share of the first page's in the same round. */
  readonly ratio: Spread;
}

/** What a request costs where there is more, beside what it costs where there is little. */
export interface GrowthResult {
  readonly what: string;
  readonly little: Spread;
  readonly much: Spread;
  /** Round by round. */
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
