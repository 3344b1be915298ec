import { Type } from '@mikro-orm/postgresql';
import type { Timestamp } from '@orders/domain';
import { readTimestamp } from './timestamp-type.ts';

/** The column type `timestamptz(3)`, converted to {@link Timestamp} with the same milliseconds. */
export class TimestampType extends Type<Timestamp, string> {
  override getColumnType(): string {
    return 'timestamptz(3)';
  }

  /** Without it MikroORM would convert the column's text to a `Date` first. */
  override compareAsType(): string {
    return 'string';
  }

  override convertToJSValue(value: string): Timestamp {
    return readTimestamp(value);
  }
}
