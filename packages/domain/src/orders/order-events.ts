import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** The types of order events: the order was placed, changed or deleted, or entered another status. */
export const ORDER_EVENT_TYPES = deepFreeze([
  'order.placed',
  'order.changed',
  'order.paid',
  'order.shipped',
  'order.delivered',
  'order.cancelled',
  'order.deleted',
] as const);
/** Type of an order event, one of {@link ORDER_EVENT_TYPES}. */
export type OrderEventType = (typeof ORDER_EVENT_TYPES)[number];

/** The type of the event that records the entry into each status. */
export const STATUS_EVENT_TYPES = {
  pending: 'order.placed',
  paid: 'order.paid',
  shipped: 'order.shipped',
  delivered: 'order.delivered',
  cancelled: 'order.cancelled',
} as const satisfies Readonly<Record<OrderStatus, OrderEventType>>;

/** An event of an order. */
export type OrderEvent = DomainEvent<OrderEventType>;
