import type { DomainEvent } from '@orders/domain';

/** The values of an event's row, by column. */
export type OutboxValues = Readonly<Record<string, string | number>>;

export function outboxValues(event: DomainEvent<string>): OutboxValues {
  return {
    id: event.id,
    type: event.type,
    aggregate_id: event.aggregate_id,
    version: event.version,
    changed: JSON.stringify(event.changed),
    occurred_at: event.occurred_at,
  };
}
