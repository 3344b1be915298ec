import type { CustomerEventType, OrderEventType } from '@orders/domain';
import type { FeedResourceType } from '@orders/domain/events';
import type { StoredAdjustment, StoredFulfillment, StoredItem } from './order-entity.ts';
import { entity } from './entity.ts';

/**
 * One version of an aggregate: the event, the history and the recorded result of the change that made it. The deletion
 * of an aggregate is its last version, without a snapshot.
 */
export const ChangeEntity = entity({
  name: 'Change',
  tableName: 'changes',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    aggregate: p.text().collation('C').primary().$type<FeedResourceType>(),
    aggregate_id: p.uuid().primary(),
    version: p.integer().primary(),
    /** Null, as the type, for a version that does not enter the feed, and for one from before versions were recorded. */
    event_id: p.uuid().nullable(),
    type: p.text().$type<OrderEventType | CustomerEventType>().nullable(),
    changed: p.json<readonly string[]>().columnType('json'),
    occurred_at: p.timestamp(),
    actor: p.text().nullable(),
    /** The aggregate after the change; null for a deletion, and after it was erased. */
    snapshot: p.json<object>().columnType('json').nullable(),
    snapshot_format: p.smallint(),
    /** Those of a deleted order, on the record of its deletion. Those of other orders are in their rows. */
    items: p.json<readonly StoredItem[]>().columnType('json').nullable(),
    adjustments: p.json<readonly StoredAdjustment[]>().columnType('json').nullable(),
    fulfillments: p.json<readonly StoredFulfillment[]>().columnType('json').nullable(),
    /** The place in the feed of the owner's events; null until it is given. */
    position: p.bigint('number').nullable(),
    /** The user whom the actor has named; null also after it was erased. */
    external_user_id: p.text().nullable(),
  }),
});
