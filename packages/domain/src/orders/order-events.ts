import type { DomainEvent } from '../shared/domain-event.ts';

export type OrderEventType =
  | 'order.placed'
  | 'order.changed'
  | 'order.paid'
  | 'order.shipped'
  | 'order.delivered'
  | 'order.cancelled'
  | 'order.deleted';

/** What happened to an order. */
export type OrderEvent = DomainEvent<OrderEventType>;
