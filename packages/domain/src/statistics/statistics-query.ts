import type { Result } from 'neverthrow';
import { type Timestamp, toMilliseconds } from '../shared/clock.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { STATISTICS_ROWS_MAX } from './order-statistics.ts';
import {
  type StatisticsQuery,
  countBuckets,
  isTimeZone,
  STATISTICS_INTERVALS,
  type StatisticsInterval,
} from './time-buckets.ts';

/** An unvalidated query for statistics. */
export interface StatisticsQueryInput {
  /** The length of a bucket. */
  readonly interval: StatisticsInterval;
  /** The first bucket contains this time: RFC 3339 with any offset, in the years 1900 to 2099. */
  readonly from: string;
  /** The last bucket begins before this time. */
  readonly before: string;
  /** The zone of the buckets: a name of the IANA database such as `Europe/Berlin`, or an offset. Default: `UTC`. */
  readonly time_zone?: string | undefined;
}

/** The longest name of a zone has 32 characters. */
const TIME_ZONE_LENGTH_MAX = 64;

const [FIRST, LAST] = ['1900-01-01T00:00:00.000Z', '2099-12-31T23:59:59.999Z'];

/** Parses a query for statistics and reports every invalid member. The range has at most {@link STATISTICS_ROWS_MAX} buckets. */
export function parseStatisticsQuery(input: unknown): Result<StatisticsQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['interval', 'from', 'before', 'time_zone']);
  const interval = invalid.readOneOf(query['interval'], 'interval', STATISTICS_INTERVALS);
  const from = readTime(query['from'], 'from', invalid);
  const before = readTime(query['before'], 'before', invalid);
  const timeZone = readTimeZone(query['time_zone'], invalid);
  const parsed = {
    interval: interval ?? 'day',
    timeZone: timeZone ?? 'UTC',
    from: toMilliseconds(from ?? FIRST),
    before: toMilliseconds(before ?? LAST),
  };
  if (interval !== undefined && from !== undefined && before !== undefined) {
    if (from >= before) invalid.add('before', 'out_of_range', 'must be later than from');
    else if (countBuckets(parsed) > STATISTICS_ROWS_MAX)
      invalid.add('before', 'out_of_range', `must be at most ${STATISTICS_ROWS_MAX} ${interval}s after from`);
  }
  return invalid.toResult(parsed);
}

function readTime(input: unknown, path: string, invalid: InvalidFields): Timestamp | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  const time = invalid.readTimestamp(input, path);
  if (time === undefined || (FIRST <= time && time <= LAST)) return time;
  return invalid.add(path, 'out_of_range', 'must be in the years 1900 to 2099 (UTC)');
}

function readTimeZone(input: unknown, invalid: InvalidFields): string | undefined {
  if (input === undefined || input === null) return 'UTC';
  if (typeof input !== 'string') return invalid.add('time_zone', 'wrong_type', 'must be a string');
  if (input.length <= TIME_ZONE_LENGTH_MAX && isTimeZone(input)) return input;
  return invalid.add('time_zone', 'invalid_value', 'must be a time zone such as Europe/Berlin');
}
