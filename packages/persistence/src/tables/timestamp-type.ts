import type { Timestamp } from '@orders/domain';

const OFFSET = /^(.*)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/**
 * Parses PostgreSQL's text of a `timestamptz(3)`, `2026-01-02 03:04:05.67+00`, in any session time zone. Returns a
 * {@link Timestamp} unchanged.
 */
export function readTimestamp(text: string): Timestamp {
  if (text.endsWith('Z')) return text;
  const date = text.slice(0, 10);
  if (text.endsWith('+00') && text.length <= 26) {
    const time = text.slice(11, -3);
    return `${date}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`;
  }
  // Historical local mean times have offsets with seconds: `-00:44:30`.
  const [, time = '', sign = '', ...offset] = OFFSET.exec(text.slice(11)) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = offset.map((part) => Number(part) || 0);
  const ahead = (hours * 3600 + minutes * 60 + seconds) * (sign === '-' ? -1000 : 1000);
  return new Date(Date.parse(`${date}T${time}Z`) - ahead).toISOString();
}

export function readTimestampOrNull(text: string | null): Timestamp | null {
  return text === null ? null : readTimestamp(text);
}

/** The format of a {@link Timestamp}. PostgreSQL, which accepts other formats too, validates the date itself. */
const TIMESTAMP = /^(?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Checks that every value of a column that ends in `_at` is a {@link Timestamp} or null.
 *
 * @throws {TypeError} a value is not
 */
export function assertTimestamps(values: Readonly<Record<string, string | number | null>>): void {
  for (const name in values) {
    if (!name.endsWith('_at')) continue;
    const value = values[name];
    if (value !== null && !isTimestamp(value)) throw invalidTimestamp(name);
  }
}

/**
 * Checks that a value for JSON is a {@link Timestamp}, and its date one that exists, which PostgreSQL does not validate there.
 *
 * @throws {TypeError} the value is none
 */
export function assertTimestamp(name: string, value: unknown): Timestamp {
  if (!isTimestamp(value) || new Date(Date.parse(value) || 0).toISOString() !== value) throw invalidTimestamp(name);
  return value;
}

function isTimestamp(value: unknown): value is Timestamp {
  return typeof value === 'string' && TIMESTAMP.test(value);
}

function invalidTimestamp(name: string): TypeError {
  return new TypeError(`${name} must be a timestamp such as 2026-01-02T03:04:05.678Z`);
}
