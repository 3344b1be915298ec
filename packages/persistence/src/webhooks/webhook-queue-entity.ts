import { defineEntity, p } from '@mikro-orm/postgresql';
import { TimestampType } from '../shared/timestamp-type.ts';

/**
 * How far an endpoint has received the feed, and how it responds. Apart from the endpoint, so that a delivery changes no
 * version. Its row is locked by everything that changes the deliveries of the endpoint.
 */
export const WebhookQueueEntity = defineEntity({
  name: 'WebhookQueue',
  tableName: 'webhook_queues',
  properties: {
    owner_id: p.text().collation('C').primary(),
    endpoint_id: p.uuid().primary(),
    /** The last event that was turned into a delivery, or was not wanted. */
    position: p.bigint('number'),
    /** The version of the endpoint that the queue agrees with. */
    endpoint_version: p.integer(),
    /** Failed deliveries after this position become pending again. Null when none are left to. */
    requeue_after: p.bigint('number').nullable(),
    /** The number of deliveries whose first attempt failed since the last success. */
    failing: p.integer(),
    /** The time of the next first attempt while the endpoint fails. */
    fresh_after: p.type(TimestampType).nullable(),
    last_success_at: p.type(TimestampType).nullable(),
  },
});
