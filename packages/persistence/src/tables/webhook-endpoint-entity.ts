import type { OrderDefinition } from '@orders/domain';
import type { EventType, FeedInclude } from '@orders/domain/events';
import type { DisabledReason, WebhookEndpointStatus, WebhookSecret } from '@orders/domain/webhooks';
import { entity } from './entity.ts';

/** An endpoint that receives the events of its owner. */
export const WebhookEndpointEntity = entity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    url: p.text(),
    /** Null for every type. */
    types: p.json<readonly EventType<OrderDefinition>[]>().columnType('json').nullable(),
    include: p.json<readonly FeedInclude[]>().columnType('json'),
    description: p.text().nullable(),
    status: p.text().$type<WebhookEndpointStatus>(),
    disabled_reason: p.text().$type<DisabledReason>().nullable(),
    secrets: p.json<readonly WebhookSecret[]>().columnType('json'),
    /** The endpoint receives the events after this position. */
    start: p.bigint('number'),
    /** 1 to 10, which limits the number of endpoints of an owner. */
    slot: p.smallint(),
    version: p.integer(),
    created_at: p.timestamp(),
    updated_at: p.timestamp(),
  }),
});
