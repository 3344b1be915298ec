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

/** Converts milliseconds since the Unix epoch to a {@link Timestamp}. */
export function toTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}

/** Returns the later of two timestamps. */
export function laterTimestamp(left: Timestamp, right: Timestamp): Timestamp {
  return left < right ? right : left;
}

/** Checks whether `input` is a {@link Timestamp} of an existing date in the years 1 to 9999. */
export function isTimestamp(input: string): input is Timestamp {
  // JavaScript also accepts signed six-digit years, which RFC 3339 does not allow, and the year 0, which PostgreSQL
  // does not support.
  if (!/^(?!0000)\d{4}-/.test(input)) return false;
  const milliseconds = Date.parse(input);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === input;
}
