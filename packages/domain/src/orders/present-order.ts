import type { Written } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition, StatusOf } from './definition/order-definition.ts';
import { availableTransitions, type DefaultDefinition } from './order-lifecycle.ts';
import type { OrderEvent } from './order-kind.ts';
import type { OrderVersion } from './order-version.ts';
import type { AnyOrder, Order } from './order.ts';

/** An order as its owner sees it: what is stored, and what follows from its status. */
export type PresentedOrder<D extends OrderDefinition = DefaultDefinition> = Order<D> & {
  /** The statuses that the order can change to now. */
  readonly available_transitions: readonly StatusOf<D>[];
};

/** A version of an order as its owner sees it. */
export interface PresentedOrderVersion<D extends OrderDefinition = OrderDefinition> extends Omit<
  OrderVersion<D>,
  'order'
> {
  readonly order: PresentedOrder<D> | null;
}

/** Returns an order as its owner sees it. */
export function presentOrder<D extends OrderDefinition>(order: NoInfer<Order<D>>, definition: D): PresentedOrder<D>;
export function presentOrder(order: AnyOrder, definition: OrderDefinition): unknown {
  return { ...order, available_transitions: availableTransitions(order.status, definition) };
}

/** Returns a function that returns the result of a write as the owner of the order sees it. */
export function presentWrite(definition: OrderDefinition) {
  return ({ aggregate, event, replayed }: Written<AnyOrder, OrderEvent<OrderDefinition>>) => ({
    order: presentOrder(aggregate, definition),
    event,
    replayed,
  });
}

/** Returns a version of an order as its owner sees it. */
export function presentOrderVersion(
  { order, ...version }: OrderVersion<OrderDefinition>,
  definition: OrderDefinition,
): PresentedOrderVersion {
  return { ...version, order: order && presentOrder(order, definition) };
}
