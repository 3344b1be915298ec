import { entity } from './entity.ts';

/**
 * How far an endpoint has received the feed, and how it responds. Apart from the endpoint, so that a delivery changes no
 * version. Its row is locked by everything that changes the deliveries of the endpoint.
 */
export const WebhookQueueEntity = entity({
  name: 'WebhookQueue',
  tableName: 'webhook_queues',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    endpoint_id: p.uuid().primary(),
    /**
     * Grows with each change of the row. The highest one is found without passing earlier versions of the row, which
     * PostgreSQL keeps while another session has an old snapshot.
     */
    revision: p.bigint('number').primary(),
    /** The last event that was turned into a delivery, or was not wanted. */
    position: p.bigint('number'),
    /** The version of the endpoint that the queue agrees with. */
    endpoint_version: p.integer(),
    /** Failed deliveries after this position become pending again. Null when none are left to. */
    requeue_after: p.bigint('number').nullable(),
    /** The number of consecutive gaps between first attempts that have ended with a failure since the last success. */
    failing: p.integer(),
    /** The time of the next first attempt while the endpoint fails. */
    fresh_after: p.timestamp().nullable(),
    last_success_at: p.timestamp().nullable(),
    /** The positions of the claimed deliveries; those of expired leases leave it at the next claim. */
    in_flight: p.array<number>().columnType('bigint[]').nullable(),
    /** The end of the first lease, if no further delivery may be claimed. */
    full_until: p.timestamp().nullable(),
    /**
     * All fresh deliveries that were due until then were claimed; of those at this time, up to the position. Claims begin
     * after it, because the index may still have all of them.
     */
    fresh_claimed_to: p.timestamp().nullable(),
    fresh_claimed_position: p.bigint('number').nullable(),
    /** The same for the others. It lags, because a delivery that is requested again locks no queue. */
    retries_claimed_to: p.timestamp().nullable(),
  }),
});
