import type { AggregateKind } from '../aggregates/aggregate-kind.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { OrderEventType } from './order-events.ts';

/** Returns the kind of orders of a definition. */
export function orderKind<D extends OrderDefinition>(definition: D): AggregateKind<'order', OrderEventType<D>>;
export function orderKind({ eventTypes }: OrderDefinition): AggregateKind<'order'> {
  return { name: 'order', events: eventTypes };
}
