import type { AggregateKind } from '../aggregates/aggregate-kind.ts';
import type { DomainEvent, EventOutline } from '../shared/domain-event.ts';
import type { EventTypeOf, OrderDefinition } from './definition/order-definition.ts';
import { type DefaultDefinition, ORDERS } from './order-lifecycle.ts';
import type { AnyOrder } from './order.ts';

/** Type of an order event: the order was placed, changed or deleted, or entered another status. */
export type OrderEventType<D extends OrderDefinition = DefaultDefinition> = EventTypeOf<D>;

/** The types of order events, each an {@link OrderEventType}. */
export const ORDER_EVENT_TYPES: readonly OrderEventType[] = ORDERS.eventTypes;

/** An event of an order. */
export type OrderEvent<D extends OrderDefinition = DefaultDefinition> = DomainEvent<OrderEventType<D>>;

/** The order after a change, and the event to record; `null` if nothing changes. */
export interface ChangedOrder {
  readonly order: AnyOrder;
  readonly event: EventOutline<OrderEventType<OrderDefinition>> | null;
  /** Kept with the version. Default: none. */
  readonly reason?: string | null;
}

/** Returns the kind of orders of a definition. */
export function orderKind<D extends OrderDefinition>(definition: D): AggregateKind<'order', OrderEventType<D>>;
export function orderKind({ eventTypes }: OrderDefinition): AggregateKind<'order'> {
  return { name: 'order', events: eventTypes };
}
