import { CUSTOMER_EVENT_TYPES, type CustomerEventType } from '../customers/customer-events.ts';
import { ORDER_EVENT_TYPES, type OrderEventType } from '../orders/order-events.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { WEBHOOK_ENDPOINT_FEED_TYPES, type WebhookEndpointFeedType } from '../webhooks/webhook-endpoint-events.ts';

/** Type of an event of the feed, one of {@link EVENT_TYPES}. */
export type EventType = OrderEventType | CustomerEventType | WebhookEndpointFeedType;

/** The types of all events of the feed: those of orders, then those of customers, then those of webhook endpoints. */
export const EVENT_TYPES: readonly EventType[] = deepFreeze([
  ...ORDER_EVENT_TYPES,
  ...CUSTOMER_EVENT_TYPES,
  ...WEBHOOK_ENDPOINT_FEED_TYPES,
]);

/** The kind of resource that an event is about. */
export type FeedResourceType = 'order' | 'customer' | 'webhook_endpoint';

/** Returns the kind of resource that events of a type are about. */
export function resourceTypeOf(type: EventType): FeedResourceType {
  if (type.startsWith('order.')) return 'order';
  return type.startsWith('customer.') ? 'customer' : 'webhook_endpoint';
}
