/** An instant: RFC 3339 in UTC with milliseconds, `2026-01-02T03:04:05.678Z`. Sorts as text. */
export type Timestamp = string;

/** Port: tells the time. */
export interface Clock {
  now(): Date;
}

/** The clock's reading as a {@link Timestamp}. */
export function currentTimestamp(clock: Clock): Timestamp {
  return toTimestamp(clock.now().getTime());
}

/** An instant, given in milliseconds since 1970, as a {@link Timestamp}. */
export function toTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}

/** The later of two instants. */
export function laterTimestamp(left: Timestamp, right: Timestamp): Timestamp {
  return left < right ? right : left;
}

/** Whether `input` has the form of a {@link Timestamp} and names an instant that exists, in the years 1 to 9999. */
export function isTimestamp(input: string): input is Timestamp {
  // JavaScript has years of six digits and a sign too, which are not RFC 3339, and a year 0, which PostgreSQL has not.
  if (!/^(?!0000)\d{4}-/.test(input)) return false;
  const milliseconds = Date.parse(input);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === input;
}
