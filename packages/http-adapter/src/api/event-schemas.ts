import { type OrderDefinition, PAGE_LIMIT_MAX } from '@orders/domain';
import { FEED_INCLUDES, FEED_RESOURCE_TYPES, FEED_STARTS, type PresentedEvent } from '@orders/domain/events';
import { Type } from 'typebox';
import { Customer } from './customers/customer-schemas.ts';
import { eventType, eventTypeSet, perDefinition } from './definition-schemas.ts';
import { EVENT_CURSOR } from '../problems/catalog.ts';
import { PLACED_EVENT } from './orders/order-examples.ts';
import { orderSchemas } from './orders/order-schemas.ts';
import { endpointSchemas } from './webhooks/webhook-schemas.ts';
import {
  CURSOR,
  openEnum,
  orNull,
  PAGE_LIMIT,
  PAGE_QUERY,
  type SchemasOf,
  Timestamp,
  Uuid,
  Version,
} from './schemas.ts';

/** Maximum time that a request can wait for events, in seconds. */
export const WAIT_SECONDS_MAX = 20;

/** Returns the query parameters of the feed. */
export const eventQuery = perDefinition((definition) => ({
  after: PAGE_QUERY.after,
  start: Type.String({
    enum: [...FEED_STARTS],
    default: 'oldest',
    description: 'Where to start without `after`. `latest` returns no events, only the cursor of the end of the feed',
  }),
  limit: PAGE_QUERY.limit,
  types: eventTypeSet(
    definition,
    'Events of these types. A page covers at most 1,000 positions, so it can be empty before the end',
  ),
  include: Type.Array(Type.String({ enum: [...FEED_INCLUDES] }), {
    minItems: 1,
    maxItems: FEED_INCLUDES.length,
    description: 'Adds `resource.data`. Requires the read scope of every requested type',
  }),
  wait: Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: 0,
    description: 'Seconds to wait for events at the end of the feed',
  }),
}));

/** Returns the schemas of the events of orders of a definition. */
export const eventSchemas = perDefinition((definition) => {
  const { Order, OrderVersion } = orderSchemas(definition);

  const EventResource = Type.Object(
    {
      type: Type.String({ ...openEnum(FEED_RESOURCE_TYPES), pattern: '^[a-z_]+$', maxLength: 64 }),
      id: Uuid,
      version: Version,
      data: Type.Optional(
        orNull([Order, Customer, endpointSchemas(definition).WebhookEndpoint], {
          description: 'The resource at this version; null after a deletion or erasure. Only with `include=resource`',
        }),
      ),
    } satisfies SchemasOf<PresentedEvent<OrderDefinition>['resource']>,
    { title: 'EventResource', description: 'The resource that changed' },
  );

  /** The schema of an event, in the feed and in webhooks. */
  const Event = Type.Object(
    {
      id: Uuid,
      position: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: '1, 2, 3, … among your events; never changes',
      }),
      type: eventType(definition),
      resource: EventResource,
      changed: OrderVersion.properties.changed,
      occurred_at: Timestamp,
      actor: OrderVersion.properties.actor,
      external_user_id: OrderVersion.properties.external_user_id,
    } satisfies SchemasOf<PresentedEvent<OrderDefinition>>,
    { title: 'Event', description: 'One change of a resource', examples: [PLACED_EVENT] },
  );

  /** The schema of a page of events. */
  const EventList = Type.Object(
    {
      data: Type.Array(Event, { maxItems: PAGE_LIMIT_MAX }),
      page: Type.Object(
        {
          limit: Type.Unsafe<number>(PAGE_LIMIT),
          next_cursor: Type.String({ ...CURSOR, description: 'Value of `after` for the next page; never null' }),
          caught_up: Type.Boolean({ description: 'Whether no event after `next_cursor` was known' }),
        },
        {
          title: 'EventPage',
          description: 'Position of the page in the feed',
          examples: [{ limit: 20, next_cursor: EVENT_CURSOR, caught_up: true }],
        },
      ),
    },
    { title: 'EventList', description: 'One page of events' },
  );

  return { Event, EventList };
});
