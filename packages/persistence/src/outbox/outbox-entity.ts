import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerEventType, OrderEventType } from '@orders/domain';
import { TimestampType } from '../shared/timestamp-type.ts';

/** One event, written by the statement that made the change. */
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
