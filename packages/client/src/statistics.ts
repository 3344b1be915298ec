import type { ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition, StatusOf } from './definition.ts';
import type { ReadStatisticsError } from './errors.ts';
import { Operations } from './operations.ts';
import type { RequestOptions } from './options.ts';
import type { Schemas } from './schemas.ts';
import type { Settings } from './transport/settings.ts';

/** A query for statistics. */
export interface StatisticsQuery extends RequestOptions {
  /** The length of a bucket. */
  readonly interval: 'hour' | 'day' | 'month';
  /** The first bucket contains this time: RFC 3339 with any offset, in the years 1900 to 2099. */
  readonly from: string;
  /** The last bucket begins before this time. */
  readonly before: string;
  /** The zone of the buckets, such as `Europe/Berlin` or `+05:45`. Default: `UTC`. */
  readonly time_zone?: string | undefined;
}

/** The orders of one bucket, status and currency. */
export type StatisticsRow<D extends Definition = DefaultDefinition> = Omit<Schemas['OrderStatisticsRow'], 'status'> & {
  /** The entered status; `placed` for the placing. */
  readonly status: 'placed' | StatusOf<D>;
};

/** The figures of orders. */
export interface OrderStatistics<Row = StatisticsRow> {
  /** By start, status and currency. Buckets without orders have no row. */
  readonly data: readonly Row[];
  /** Position of the last event that the figures contain; 0 for none. */
  readonly as_of: number;
}

/** Binds the operation on statistics to a server. */
export function bindStatistics<D extends Definition>(
  settings: Settings,
): (query: StatisticsQuery) => ResultAsync<OrderStatistics<StatisticsRow<D>>, ReadStatisticsError> {
  const api = new Operations(settings, '/order_statistics', 'validation_failed');
  return ({ signal, ...query }) => api.read('get_order_statistics', '/order_statistics', { signal }, { query });
}
