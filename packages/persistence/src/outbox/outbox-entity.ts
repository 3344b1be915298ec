import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerEventType, DomainEvent, OrderEventType } from '@orders/domain';
import { assertTimestamps, TimestampType } from '../shared/timestamp-type.ts';

/** One event, inserted by the statement that makes the change. */
export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    type: p.text().$type<OrderEventType | CustomerEventType>(),
    aggregate_id: p.uuid(),
    version: p.integer(),
    changed: p.json<readonly string[]>().columnType('json'),
    occurred_at: p.type(TimestampType),
  },
  indexes: [{ name: 'outbox_occurred_index', properties: ['occurred_at'] }],
});

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
