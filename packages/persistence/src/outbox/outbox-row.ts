import type { DomainEvent } from '@orders/domain';
import { assertTimestamps } from '../shared/timestamp-type.ts';

/** The values of an event's row, by column. */
export type OutboxValues = Readonly<Record<string, string | number>>;

export function outboxValues(event: DomainEvent<string>): OutboxValues {
  const values = {
    id: event.id,
    type: event.type,
    aggregate_id: event.aggregate_id,
    version: event.version,
    changed: JSON.stringify(event.changed),
    occurred_at: event.occurred_at,
  };
  assertTimestamps(values);
  return values;
}
