import type { DomainEvent } from '../shared/domain-event.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** Type of an order event: the order was placed, changed or deleted, or entered another status. */
export type OrderEventType =
  | 'order.placed'
  | 'order.changed'
  | 'order.paid'
  | 'order.shipped'
  | 'order.delivered'
  | 'order.cancelled'
  | 'order.deleted';

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
