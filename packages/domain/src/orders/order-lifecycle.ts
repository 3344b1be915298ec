import { deriveDefinition } from './definition/derive-definition.ts';
import type { NextStatusOf, OrderDefinition, StatusOf } from './definition/order-definition.ts';

export type { OrderDefinition };

const DERIVED = deriveDefinition({
  lifecycle: {
    pending: ['paid', 'cancelled'],
    paid: ['shipped', 'cancelled'],
    shipped: ['delivered', 'cancelled'],
    delivered: ['cancelled'],
    cancelled: [],
  },
  initial: 'pending',
  cancel: 'cancelled',
});

type Derived = typeof DERIVED;

/** The type of {@link ORDERS}. An interface, so that hovers and messages have its name in place of its members. */
export interface DefaultDefinition extends Derived {}

/** The default definition of orders, without custom data. */
export const ORDERS: DefaultDefinition = DERIVED;

/** The allowed transitions from each status. This is their only definition. */
export const ORDER_LIFECYCLE = ORDERS.lifecycle;

/** A status in the lifecycle of an order. */
export type OrderStatus<D extends OrderDefinition = DefaultDefinition> = StatusOf<D>;

/** All statuses, in the order of the lifecycle. */
export const ORDER_STATUSES: readonly OrderStatus[] = ORDERS.statuses;

/** Returns the statuses that an order in `status` may enter next. The default definition is {@link ORDERS}. */
export function availableTransitions<
  D extends OrderDefinition = DefaultDefinition,
  const Status extends StatusOf<D> = StatusOf<D>,
>(status: Status, definition?: D): readonly NextStatusOf<D, Status>[];
export function availableTransitions(status: string, definition: OrderDefinition = ORDERS): readonly string[] {
  return definition.lifecycle[status] ?? [];
}

/**
 * Checks whether the lifecycle has a transition between two statuses. No status has a transition to itself. The default
 * definition is {@link ORDERS}.
 */
export function canBecome<D extends OrderDefinition = DefaultDefinition>(
  from: StatusOf<D>,
  to: StatusOf<D>,
  definition?: D,
): boolean;
export function canBecome(from: string, to: string, definition: OrderDefinition = ORDERS): boolean {
  return availableTransitions(from, definition).includes(to);
}

/** The statuses that transitions lead to from each status, of definitions that are in use. */
const REACHED = new WeakMap<OrderDefinition, ReadonlyMap<string, ReadonlySet<string>>>();

/** Checks whether transitions lead from one status to another, perhaps through further ones. */
export function leadsTo(from: string, to: string, definition: OrderDefinition): boolean {
  let reached = REACHED.get(definition);
  if (!reached) {
    reached = new Map(definition.statuses.map((status) => [status, reachedFrom(definition, status)]));
    REACHED.set(definition, reached);
  }
  return reached.get(from)?.has(to) ?? false;
}

function reachedFrom({ lifecycle }: OrderDefinition, start: string): ReadonlySet<string> {
  const reached = new Set<string>(lifecycle[start]);
  // A set also yields the elements that are added while it is walked.
  for (const status of reached) for (const next of lifecycle[status] ?? []) reached.add(next);
  return reached;
}
