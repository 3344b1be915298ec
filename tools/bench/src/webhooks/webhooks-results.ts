import type { RatioResult } from '../feed/feed-results.ts';

/** Deliveries in the time of one second. CPU times are in microseconds for each delivery. */
export interface ThroughputResult {
  readonly title: string;
  readonly deliveries: number;
  readonly perSecond: number;
  readonly server: number;
  readonly postgres: number;
  readonly atLeast: number;
}

/** The time from events to the arrival of their deliveries, in milliseconds. */
export interface LagResult {
  readonly title: string;
  readonly deliveries: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** The limit of the 95th percentile. `null` for a figure without a goal. */
  readonly atMost: number | null;
}

/** The 99th percentile of an owner's deliveries beside another owner, in milliseconds. */
export interface FairnessResult {
  readonly title: string;
  readonly deliveries: number;
  readonly p50: number;
  readonly p99: number;
  /** The ratio of the 99th percentiles to that of the quiet turns; `null` for these. */
  readonly ratio: number | null;
  readonly atMost: number;
}

export interface WebhooksResults {
  readonly run: string;
  readonly throughput: readonly ThroughputResult[];
  readonly lags: readonly LagResult[];
  readonly writes: readonly RatioResult[];
  readonly fairness: readonly FairnessResult[];
}
