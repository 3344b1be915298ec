import { Type } from '@mikro-orm/postgresql';
import type { Timestamp } from '@orders/domain';

/** A `timestamptz(3)` that is a {@link Timestamp} in the program: the same milliseconds on both sides. */
export class TimestampType extends Type<Timestamp, string> {
  override getColumnType(): string {
    return 'timestamptz(3)';
  }

  /** Without it MikroORM would make a `Date` of the column's text first. */
  override compareAsType(): string {
    return 'string';
  }

  override convertToJSValue(value: string): Timestamp {
    return toTimestamp(value);
  }
}

const OFFSET = /^(.*)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** Reads PostgreSQL's text of a `timestamptz(3)`, `2026-01-02 03:04:05.67+00`, whatever time zone the session has. */
export function toTimestamp(text: string): Timestamp {
  const date = text.slice(0, 10);
  if (text.endsWith('+00') && text.length <= 26) {
    const time = text.slice(11, -3);
    return `${date}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`;
  }
  // Local mean times of the past are off by seconds too: `-00:44:30`.
  const [, time = '', sign = '', ...offset] = OFFSET.exec(text.slice(11)) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = offset.map((part) => Number(part) || 0);
  const ahead = (hours * 3600 + minutes * 60 + seconds) * (sign === '-' ? -1000 : 1000);
  return new Date(Date.parse(`${date}T${time}Z`) - ahead).toISOString();
}

export function toTimestampOrNull(text: string | null): Timestamp | null {
  return text === null ? null : toTimestamp(text);
}

/** The form of a {@link Timestamp}; whether its day exists is left to PostgreSQL, which takes other forms too. */
const TIMESTAMP = /^(?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** @throws {TypeError} when a value of a column that ends in `_at` is no {@link Timestamp} */
export function assertTimestamps(values: Readonly<Record<string, string | number | null>>): void {
  for (const name in values) {
    if (!name.endsWith('_at')) continue;
    const value = values[name];
    if (value !== null && !(typeof value === 'string' && TIMESTAMP.test(value))) {
      throw new TypeError(`${name} is not a timestamp`);
    }
  }
}
