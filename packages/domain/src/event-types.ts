import { CUSTOMER_EVENT_TYPES, type CustomerEventType } from './customers/customer-events.ts';
import type { OrderDefinition } from './orders/definition/order-definition.ts';
import type { OrderEventType } from './orders/order-events.ts';
import { ORDERS } from './orders/order-lifecycle.ts';
import { deepFreeze } from './shared/frozen.ts';

/** The types of endpoint events that enter the feed. The others are recorded for retries alone. */
export const WEBHOOK_ENDPOINT_FEED_TYPES = deepFreeze(['webhook_endpoint.disabled'] as const);
/** Type of an event of an endpoint that enters the feed, one of {@link WEBHOOK_ENDPOINT_FEED_TYPES}. */
export type WebhookEndpointFeedType = (typeof WEBHOOK_ENDPOINT_FEED_TYPES)[number];

/** Type of an event of the feed, one of {@link EVENT_TYPES}. */
export type EventType<D extends OrderDefinition = typeof ORDERS> =
  | OrderEventType<D>
  | CustomerEventType
  | WebhookEndpointFeedType;

/** The types of all events of the feed: those of orders, then those of customers, then those of webhook endpoints. */
export const EVENT_TYPES: readonly EventType[] = deepFreeze([
  ...ORDERS.eventTypes,
  ...CUSTOMER_EVENT_TYPES,
  ...WEBHOOK_ENDPOINT_FEED_TYPES,
]);

/** The types of events that a webhook endpoint receives only if it lists them: an import is no news for most receivers. */
export const IMPORT_EVENT_TYPES = deepFreeze(['order.imported', 'customer.imported'] as const);

/** Checks whether a type is one of {@link IMPORT_EVENT_TYPES}. */
export function isImportType(type: string): boolean {
  return IMPORT_EVENT_TYPES.some((known) => known === type);
}

/** The types of all events of the feed, of definitions that are in use. */
const TYPES = new WeakMap<OrderDefinition, readonly EventType<OrderDefinition>[]>();

/** Returns the types of all events of the feed for a definition of orders, in the order of {@link EVENT_TYPES}. */
export function eventTypesOf<D extends OrderDefinition>(definition: D): readonly EventType<D>[];
export function eventTypesOf(definition: OrderDefinition): readonly string[] {
  const known = TYPES.get(definition);
  if (known) return known;
  const types = deepFreeze([...definition.eventTypes, ...CUSTOMER_EVENT_TYPES, ...WEBHOOK_ENDPOINT_FEED_TYPES]);
  TYPES.set(definition, types);
  return types;
}

/** The kind of resource that an event is about. */
export type FeedResourceType = 'order' | 'customer' | 'webhook_endpoint';

/** Returns the kind of resource that events of a type are about. */
export function resourceTypeOf(type: EventType<OrderDefinition>): FeedResourceType {
  if (type.startsWith('order.')) return 'order';
  return type.startsWith('customer.') ? 'customer' : 'webhook_endpoint';
}

/** What a page of events can include in addition. */
export const FEED_INCLUDES = deepFreeze(['resource'] as const);
/** An addition to a page of events, one of {@link FEED_INCLUDES}. */
export type FeedInclude = (typeof FEED_INCLUDES)[number];
