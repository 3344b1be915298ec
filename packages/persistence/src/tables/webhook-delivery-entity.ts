import type { OrderDefinition } from '@orders/domain';
import type { EventType, FeedResourceType } from '@orders/domain/events';
import type { AttemptError, DeliveryStatus } from '@orders/domain/webhooks';
import { entity } from './entity.ts';

/** The delivery of one event to one endpoint. */
export const WebhookDeliveryEntity = entity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    endpoint_id: p.uuid().primary(),
    position: p.bigint('number').primary(),
    event_id: p.uuid(),
    type: p.text().$type<EventType<OrderDefinition>>(),
    aggregate: p.text().collation('C').$type<FeedResourceType>(),
    aggregate_id: p.uuid(),
    version: p.integer(),
    status: p.text().collation('C').$type<DeliveryStatus>(),
    attempts: p.integer(),
    /** Whether no attempt was made yet, and none was requested. */
    fresh: p.boolean(),
    /** Whether it was requested again, and is outside the order of its aggregate. */
    redelivery: p.boolean(),
    /** Null while an earlier delivery of the aggregate is pending, and when no attempt is left. */
    due_at: p.timestamp().nullable(),
    leased_until: p.timestamp().nullable(),
    /** The number of claims. */
    fence: p.integer(),
    first_attempt_at: p.timestamp().nullable(),
    last_status: p.smallint().nullable(),
    last_error: p.text().$type<AttemptError>().nullable(),
    last_duration_ms: p.integer().nullable(),
    delivered_at: p.timestamp().nullable(),
  }),
});
