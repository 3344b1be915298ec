import type { DomainEvent } from '../shared/domain-event.ts';
import type { OrderStatus } from './order-lifecycle.ts';

/** What can happen to an order: that it was placed, changed, deleted, or came into another status. */
export type OrderEventType =
  | 'order.placed'
  | 'order.changed'
  | 'order.paid'
  | 'order.shipped'
  | 'order.delivered'
  | 'order.cancelled'
  | 'order.deleted';

/** What it is called that an order entered a status. */
export const STATUS_EVENT_TYPES = {
  pending: 'order.placed',
  paid: 'order.paid',
  shipped: 'order.shipped',
  delivered: 'order.delivered',
  cancelled: 'order.cancelled',
} as const satisfies Readonly<Record<OrderStatus, OrderEventType>>;

/** What happened to an order. */
export type OrderEvent = DomainEvent<OrderEventType>;
