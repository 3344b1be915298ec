import type { AggregateKind } from './aggregates/aggregate-kind.ts';
import { customerKind, type CustomerEventType } from './customers/customer-kind.ts';
import { type OrderEventType, orderKind } from './orders/order-kind.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from './orders/order-lifecycle.ts';
import { deepFreeze } from './shared/frozen.ts';
import { endpointKind, type WebhookEndpointFeedType } from './webhooks/endpoint-kind.ts';

/** Type of an event of the feed, one of {@link EVENT_TYPES}. */
export type EventType<D extends OrderDefinition = DefaultDefinition> =
  | OrderEventType<D>
  | CustomerEventType
  | WebhookEndpointFeedType;

/** Returns all kinds of aggregates. What concerns each of them derives from this list. */
function kindsOf(definition: OrderDefinition) {
  return [orderKind(definition), customerKind, endpointKind] as const;
}

/** The kind of resource that an event is about. */
export type FeedResourceType = ReturnType<typeof kindsOf>[number]['name'];

/** The kinds of resources that events are about. */
export const FEED_RESOURCE_TYPES: readonly FeedResourceType[] = deepFreeze(kindsOf(ORDERS).map(({ name }) => name));

/** The types of all events of the feed, of definitions that are in use. */
const TYPES = new WeakMap<OrderDefinition, readonly string[]>();

/** Returns the types of all events of the feed for a definition of orders, in the order of {@link EVENT_TYPES}. */
export function eventTypesOf<D extends OrderDefinition>(definition: D): readonly EventType<D>[];
export function eventTypesOf(definition: OrderDefinition): readonly string[] {
  const known = TYPES.get(definition);
  if (known) return known;
  const kinds: readonly AggregateKind[] = kindsOf(definition);
  const types = kinds.flatMap(({ events, isPublished = () => true }) => events.filter((type) => isPublished(type)));
  TYPES.set(definition, Object.freeze(types));
  return types;
}

/** The types of all events of the feed: those of orders, then those of customers, then those of webhook endpoints. */
export const EVENT_TYPES: readonly EventType[] = eventTypesOf(ORDERS);

/** The types of events that a webhook endpoint receives only if it lists them: an import is no news for most receivers. */
export const IMPORT_EVENT_TYPES = deepFreeze(['order.imported', 'customer.imported'] as const);

/** Checks whether a type is one of {@link IMPORT_EVENT_TYPES}. */
export function isImportType(type: string): boolean {
  return IMPORT_EVENT_TYPES.some((known) => known === type);
}

/** Returns the kind of resource that events of a type are about. */
export function resourceTypeOf(type: EventType<OrderDefinition>): FeedResourceType {
  const known = FEED_RESOURCE_TYPES.find((name) => type.startsWith(`${name}.`));
  if (!known) throw new TypeError(`no kind of resource has events of the type ${type}`);
  return known;
}

/** What a page of events can include in addition. */
export const FEED_INCLUDES = deepFreeze(['resource'] as const);
/** An addition to a page of events, one of {@link FEED_INCLUDES}. */
export type FeedInclude = (typeof FEED_INCLUDES)[number];
