/* oxlint-disable no-restricted-globals -- It converts times by Date, and reads none. */
/** An instant as RFC 3339 text in UTC with milliseconds, such as `2026-01-02T03:04:05.678Z`. Sorts as text. */
export type Timestamp = string;

/** Port: the source of the current time. */
export interface Clock {
  /** Returns the current time. It may run backwards. */
  now(): Date;
}

/** Returns the current time of `clock` as a {@link Timestamp}. */
export function currentTimestamp(clock: Clock): Timestamp {
  return toTimestamp(clock.now().getTime());
}

const MINUTE_MS = 60_000;

/** The beginning of timestamps, by minute since the Unix epoch. Most are of this minute, or of the one in which keys expire. */
const minutes = new Map<number, string>();
const MINUTES_MAX = 100;

/** Converts milliseconds since the Unix epoch to a {@link Timestamp}. `toISOString` takes ten times as long. */
export function toTimestamp(milliseconds: number): Timestamp {
  const whole = Math.trunc(milliseconds);
  const minute = Math.floor(whole / MINUTE_MS);
  let beginning = minutes.get(minute);
  if (beginning === undefined) {
    if (minutes.size >= MINUTES_MAX) minutes.clear();
    beginning = new Date(whole).toISOString().slice(0, -'00.000Z'.length);
    minutes.set(minute, beginning);
  }
  const rest = `${whole - minute * MINUTE_MS}`.padStart(5, '0');
  return `${beginning}${rest.slice(0, 2)}.${rest.slice(2)}Z`;
}

/** Converts a {@link Timestamp} to milliseconds since the Unix epoch. */
export function toMilliseconds(timestamp: Timestamp): number {
  return Date.parse(timestamp);
}

/** Converts a {@link Timestamp} to a `Date` of its own. */
export function toDate(timestamp: Timestamp): Date {
  return new Date(timestamp);
}

/** Returns the later of two timestamps. */
export function laterTimestamp(left: Timestamp, right: Timestamp): Timestamp {
  return left < right ? right : left;
}

/** Checks whether `input` is a {@link Timestamp} of an existing date in the years 1 to 9999. */
export function isTimestamp(input: string): input is Timestamp {
  // JavaScript also accepts signed six-digit years, which RFC 3339 does not allow. It allows the year 0, which PostgreSQL
  // writes as 1 BC: a store would need a second form of text, for times that no clock returns.
  if (!/^(?!0000)\d{4}-/.test(input)) return false;
  const milliseconds = Date.parse(input);
  return !Number.isNaN(milliseconds) && toTimestamp(milliseconds) === input;
}

/** Local date and time, fraction of a second, and sign, hours and minutes of the offset. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/**
 * Parses a date and time (RFC 3339 section 5.6) with any offset and a fraction of at most nine digits, of which those
 * after the milliseconds are dropped. Returns `undefined` for other text, for a leap second, and outside the years 1 to
 * 9999.
 */
export function parseTimestamp(input: string): Timestamp | undefined {
  const [, local, fraction = '', sign, hours, minutes] = DATE_TIME.exec(input) ?? [];
  const asUtc = `${String(local).toUpperCase()}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  // Checked as it is written, because JavaScript accepts 30 February as 2 March.
  if (!isTimestamp(asUtc)) return undefined;
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const utc = toTimestamp(Date.parse(asUtc) - offset * 60_000);
  return isTimestamp(utc) ? utc : undefined;
}
