import { type Timestamp, toMilliseconds, toTimestamp } from '../shared/clock.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** The lengths of a bucket: hours, days and months of the local time. */
export const STATISTICS_INTERVALS = deepFreeze(['hour', 'day', 'month'] as const);
/** The length of a bucket, one of {@link STATISTICS_INTERVALS}. */
export type StatisticsInterval = (typeof STATISTICS_INTERVALS)[number];

/** Figures are kept by quarters of an hour, in milliseconds. Every bucket consists of some. */
export const QUARTER_MS = 900_000;

const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;

/** The interval between two looks at the offset of a zone. No zone has left an offset and returned to it within one. */
const LOOK_MS = 7 * DAY_MS;

/** The length of the shortest bucket, unless the offset changes within it. No bucket is twice as long. */
const LENGTHS_MS: Readonly<Record<StatisticsInterval, number>> = { hour: HOUR_MS, day: DAY_MS, month: 28 * DAY_MS };

/** One bucket: from its begin to that of the next one. */
export interface TimeBucket {
  /** The begin. A whole quarter of an hour in UTC. */
  readonly from: Timestamp;
  /** The begin in local time with its offset, such as `2026-03-29T00:00:00+01:00`; `Z` without an offset. */
  readonly start: string;
}

/** Some time, in milliseconds since the Unix epoch. */
export interface TimeRange {
  readonly from: number;
  readonly before: number;
}

/** A validated query for statistics: the buckets of a zone that a range overlaps. */
export interface StatisticsQuery extends TimeRange {
  readonly interval: StatisticsInterval;
  readonly timeZone: string;
}

/** A time during which a zone has one offset. */
interface Segment extends TimeRange {
  readonly offset: number;
}

/** Checks whether `input` is the name of a time zone that this runtime knows: of the IANA database, or an offset. */
export function isTimeZone(input: string): boolean {
  try {
    offsetsOf(input);
    return true;
  } catch {
    return false;
  }
}

/** Returns about how many buckets a query has, before they are determined. */
export function countBuckets({ from, before, interval }: StatisticsQuery): number {
  return Math.ceil((before - from) / LENGTHS_MS[interval]);
}

/** Returns the query with the part of its range in which a bucket may overlap `within`; `null` if there is none. */
export function narrowTo(query: StatisticsQuery, within: TimeRange): StatisticsQuery | null {
  const margin = 2 * LENGTHS_MS[query.interval];
  const from = Math.max(query.from, within.from - margin);
  const before = Math.min(query.before, within.before + margin);
  return from < before ? { ...query, from, before } : null;
}

/**
 * Returns the buckets that a range overlaps, whole, in order, and the end of the last one. A bucket of hours or days is
 * longer or shorter when the offset changes within it. Offsets are rounded to a quarter of an hour, which changes only
 * those before 1980.
 */
export function timeBuckets({ interval, timeZone, ...range }: StatisticsQuery): {
  readonly buckets: readonly TimeBucket[];
  readonly end: Timestamp;
} {
  const margin = 2 * LENGTHS_MS[interval];
  const begins = beginsIn({ from: range.from - margin, before: range.before + margin }, interval, timeZone);
  const first = begins.findLastIndex(({ at }) => at <= range.from);
  const last = begins.findIndex(({ at }) => at >= range.before);
  const buckets = begins
    .slice(first, last)
    .map(({ at, offset }) => ({ from: toTimestamp(at), start: localText(at, offset) }));
  return { buckets, end: toTimestamp(begins[last]?.at ?? range.before) };
}

/** A place where a bucket begins, and the offset there. */
interface Begin {
  readonly at: number;
  readonly offset: number;
}

/** Returns where buckets begin: where the local hour, day or month is a later one. An hour that occurs twice begins twice. */
function beginsIn(range: TimeRange, interval: StatisticsInterval, timeZone: string): readonly Begin[] {
  const begins: Begin[] = [];
  let label = -Infinity;
  for (const { from, before, offset } of segmentsIn(range, offsetsOf(timeZone))) {
    if (interval === 'hour') label = -Infinity;
    for (let at = from; at < before; at = nextLocal(at + offset, interval) - offset) {
      const own = startOfLocal(at + offset, interval);
      if (own <= label) continue;
      label = own;
      begins.push({ at, offset });
    }
  }
  // The first is the begin of the range, and not that of a bucket.
  return begins.slice(1);
}

/** Returns the parts of a range in which the offset stays the same. */
function segmentsIn({ from, before }: TimeRange, offsetAt: (at: number) => number): readonly Segment[] {
  const segments: Segment[] = [];
  let begin = from;
  let offset = offsetAt(from);
  for (let seen = from; seen < before;) {
    const next = Math.min(seen + LOOK_MS, before);
    const later = offsetAt(next);
    if (later !== offset) {
      const change = firstQuarter(seen, next, (at) => offsetAt(at) === later);
      segments.push({ from: begin, before: change, offset });
      begin = change;
      offset = later;
    }
    seen = next;
  }
  return [...segments, { from: begin, before, offset }];
}

/** Returns the first quarter of an hour after `low` for which `isLater` holds, as it does for all up to `high`. */
function firstQuarter(low: number, high: number, isLater: (at: number) => boolean): number {
  let [before, after] = [Math.floor(low / QUARTER_MS), Math.ceil(high / QUARTER_MS)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isLater(middle * QUARTER_MS)) after = middle;
    else before = middle;
  }
  return after * QUARTER_MS;
}

/** Returns a function that returns the offset of a zone from UTC at a time, in milliseconds. */
function offsetsOf(timeZone: string): (at: number) => number {
  // oxlint-disable-next-line no-restricted-globals -- It formats given times, and reads none.
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // `GMT` alone, `GMT+05:45`, or `GMT-00:44:30` with seconds.
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return (sign === '-' ? -1 : 1) * Math.round(offset / QUARTER_MS) * QUARTER_MS;
  };
}

/** Returns the begin of the local hour, day or month that contains a local time. */
function startOfLocal(local: number, interval: StatisticsInterval): number {
  if (interval === 'month') return toMilliseconds(`${toTimestamp(local).slice(0, 7)}-01T00:00:00.000Z`);
  return Math.floor(local / LENGTHS_MS[interval]) * LENGTHS_MS[interval];
}

/** Returns the begin of the local hour, day or month after the one that contains a local time. */
function nextLocal(local: number, interval: StatisticsInterval): number {
  const start = startOfLocal(local, interval);
  return startOfLocal(start + LENGTHS_MS[interval] + (interval === 'month' ? 4 * DAY_MS : 0), interval);
}

function localText(at: number, offset: number): string {
  const text = toTimestamp(at + offset).slice(0, 19);
  if (offset === 0) return `${text}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
