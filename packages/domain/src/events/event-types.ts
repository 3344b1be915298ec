import { CUSTOMER_EVENT_TYPES, type CustomerEventType } from '../customers/customer-events.ts';
import { ORDER_EVENT_TYPES, type OrderEventType } from '../orders/order-events.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** Type of an event of the feed, one of {@link EVENT_TYPES}. */
export type EventType = OrderEventType | CustomerEventType;

/** The types of all events of the feed: those of orders, then those of customers. */
export const EVENT_TYPES: readonly EventType[] = deepFreeze([...ORDER_EVENT_TYPES, ...CUSTOMER_EVENT_TYPES]);

/** The kind of resource that an event is about. */
export type FeedResourceType = 'order' | 'customer';

/** Returns the kind of resource that events of a type are about. */
export function resourceTypeOf(type: EventType): FeedResourceType {
  return type.startsWith('order.') ? 'order' : 'customer';
}
