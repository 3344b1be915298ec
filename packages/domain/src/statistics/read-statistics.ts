import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import { toMilliseconds } from '../shared/clock.ts';
import { assertOwner, type Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { invalidField, type ValidationFailed } from '../shared/validation.ts';
import { type OrderStatistics, type OrderSum, STATISTICS_ROWS_MAX } from './order-statistics.ts';
import { parseStatisticsQuery, type StatisticsQueryInput } from './statistics-query.ts';
import { narrowTo, type StatisticsQuery, timeBuckets } from './time-buckets.ts';

/** A row of statistics. */
export interface StatisticsRow<D extends OrderDefinition = DefaultDefinition> extends OrderSum<D> {
  /** Begin of the bucket in its zone, with the offset, such as `2026-03-29T00:00:00+01:00`. */
  readonly start: string;
}

/** The figures of the orders of an owner. */
export interface StatisticsOf<D extends OrderDefinition = DefaultDefinition> {
  /** By start, status and currency, in this order. Buckets without orders have none. */
  readonly rows: readonly StatisticsRow<D>[];
  /** Position of the last event in the owner's feed that they contain; 0 for none. */
  readonly as_of: number;
}

/** The errors of reading statistics. */
export type ReadStatisticsError = ValidationFailed | Unavailable;

/**
 * Returns how many orders were placed, and entered each status, in each bucket of a range, and the sums of their totals by
 * currency: a function of the orders that exist. An order counts at `created_at` and at the last entry of each status,
 * with its current total. A deleted order counts nowhere. The buckets are those that the range overlaps, whole.
 *
 * Returns `validation_failed` for a range with more than {@link STATISTICS_ROWS_MAX} buckets or rows.
 *
 * @throws {TypeError} the owner is not 1 to 255 printable ASCII characters
 */
export function readOrderStatistics<D extends OrderDefinition>(
  statistics: OrderStatistics<D>,
  owner: Owner,
  input: StatisticsQueryInput,
): ResultAsync<StatisticsOf<D>, ReadStatisticsError> {
  assertOwner(owner);
  return parseStatisticsQuery(input).asyncAndThen((query) => statisticsIn(statistics, owner, query));
}

/**
 * Returns the figures of a parsed query, as {@link readOrderStatistics} does, of at most `rowsMax` rows. Buckets are determined where
 * there are figures: to look up the offsets of two hundred years takes longer than anything else.
 */
export function statisticsIn<D extends OrderDefinition>(
  statistics: OrderStatistics<D>,
  owner: Owner,
  query: StatisticsQuery,
  rowsMax = STATISTICS_ROWS_MAX,
): ResultAsync<StatisticsOf<D>, ReadStatisticsError> {
  return statistics.findRange(owner).andThen(({ range, as_of }) => {
    const within = range && { from: toMilliseconds(range.from), before: toMilliseconds(range.before) };
    const narrowed = within && narrowTo(query, within);
    if (!narrowed) return okAsync({ rows: [], as_of });
    return rowsIn(statistics, owner, narrowed, rowsMax).andThen((found) =>
      // Events that were counted meanwhile may be elsewhere.
      found.as_of === as_of ? ok(found) : rowsIn(statistics, owner, query, rowsMax),
    );
  });
}

function rowsIn<D extends OrderDefinition>(
  statistics: OrderStatistics<D>,
  owner: Owner,
  query: StatisticsQuery,
  rowsMax: number,
): ResultAsync<StatisticsOf<D>, ReadStatisticsError> {
  const { buckets, end } = timeBuckets(query);
  const bounds = [...buckets.map(({ from }) => from), end];
  return statistics.sum(owner, bounds, rowsMax + 1).andThen(({ sums, as_of }) => {
    if (sums.length > rowsMax) return err(TOO_MANY_ROWS);
    const rows = sums.map(({ bucket, ...sum }) => ({ start: String(buckets[bucket]?.start), ...sum }));
    return ok({ rows, as_of });
  });
}

const TOO_MANY_ROWS = invalidField(
  'before',
  'out_of_range',
  `selects more than ${STATISTICS_ROWS_MAX} rows: choose a shorter range or a longer interval`,
);
