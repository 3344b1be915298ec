import type { Write } from '../aggregates/aggregate-store.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { LineItem } from './line-item.ts';
import type { OrderAlreadyCancelled, OrderNotModifiable } from './order-errors.ts';
import type { OrderEventType } from './order-kind.ts';
import type { AnyOrder, Order } from './order.ts';

type QuantityName = 'quantity' | 'fulfilled_quantity' | 'cancelled_quantity' | 'returned_quantity';

/** What a command does with quantities of items. */
export interface QuantityRule {
  /** How much of an item it may take: the first quantity without the others. */
  readonly available: readonly [of: QuantityName, ...less: readonly QuantityName[]];
  /** The quantity that it changes. */
  readonly changes: Exclude<QuantityName, 'quantity'>;
  /** Whether it adds what it takes or subtracts it. */
  readonly by: 1 | -1;
}

/** What a command of an order needs. Deleting an order needs nothing. */
export interface OrderRule {
  /** What it meets in the cancel status. No other status restricts it. */
  readonly inCancelStatus: 'allowed' | 'order_already_cancelled' | 'order_not_modifiable';
  /** `null` for a command that changes no quantities. */
  readonly quantities: QuantityRule | null;
  /** Type of its event; `null` if that depends on the status that the order enters. */
  readonly event: OrderEventType<OrderDefinition> | null;
}

/**
 * What each status and quantity allows. This is the only definition of it, besides the transitions of the lifecycle, which
 * `cancel` needs too.
 */
export const ORDER_RULES = deepFreeze({
  cancel: { inCancelStatus: 'order_already_cancelled', quantities: null, event: null },
  change_customer_or_reference: { inCancelStatus: 'order_not_modifiable', quantities: null, event: null },
  cancel_items: {
    inCancelStatus: 'order_not_modifiable',
    quantities: {
      available: ['quantity', 'fulfilled_quantity', 'cancelled_quantity'],
      changes: 'cancelled_quantity',
      by: 1,
    },
    event: 'order.items_cancelled',
  },
  fulfill_items: {
    inCancelStatus: 'order_not_modifiable',
    quantities: {
      available: ['quantity', 'fulfilled_quantity', 'cancelled_quantity'],
      changes: 'fulfilled_quantity',
      by: 1,
    },
    event: 'order.items_fulfilled',
  },
  cancel_fulfillment: {
    inCancelStatus: 'allowed',
    quantities: { available: ['fulfilled_quantity', 'returned_quantity'], changes: 'fulfilled_quantity', by: -1 },
    event: 'order.fulfillment_cancelled',
  },
  return_items: {
    inCancelStatus: 'allowed',
    quantities: { available: ['fulfilled_quantity', 'returned_quantity'], changes: 'returned_quantity', by: 1 },
    event: 'order.items_returned',
  },
  adjust: { inCancelStatus: 'allowed', quantities: null, event: 'order.adjusted' },
  add_items: { inCancelStatus: 'order_not_modifiable', quantities: null, event: 'order.items_added' },
} satisfies Readonly<Record<string, OrderRule>>);

const ADJUSTMENT_REJECTIONS = [
  'too_many_adjustments',
  'adjustment_sign',
  'currency_mismatch',
  'negative_total',
  'amount_out_of_range',
  'validation_failed',
] as const;

/** The errors that each command on adjustments or quantities can have, besides those of every write. */
export const COMMAND_REJECTIONS = deepFreeze({
  adjust: ADJUSTMENT_REJECTIONS,
  add_items: [...ADJUSTMENT_REJECTIONS, 'order_not_modifiable', 'too_many_items'],
  cancel_items: [...ADJUSTMENT_REJECTIONS, 'order_not_modifiable', 'quantity_not_available', 'nothing_would_remain'],
  fulfill_items: [...ADJUSTMENT_REJECTIONS, 'order_not_modifiable', 'quantity_not_available', 'too_many_fulfillments'],
  cancel_fulfillment: ['quantity_not_available', 'fulfillment_not_found', 'fulfillment_already_cancelled'],
  return_items: [...ADJUSTMENT_REJECTIONS, 'quantity_not_available'],
});

/** Returns why the status of an order refuses a command; `null` if it does not. `fields` are what the command changes. */
export function rejectByStatus(
  { initial, cancel }: OrderDefinition,
  order: AnyOrder,
  { inCancelStatus }: OrderRule,
  fields: readonly string[],
): OrderAlreadyCancelled | OrderNotModifiable | null {
  if (inCancelStatus === 'allowed' || order.status !== cancel) return null;
  if (inCancelStatus === 'order_already_cancelled') {
    const time = `${cancel}_at`;
    const cancelledAt: unknown = Reflect.get(order, time);
    return {
      type: inCancelStatus,
      ...Object.fromEntries([[time, typeof cancelledAt === 'string' ? cancelledAt : null]]),
      current_version: order.version,
    };
  }
  // Orders with a single status are never cancelled.
  return cancel === initial || fields.length === 0 ? null : { type: inCancelStatus, fields };
}

/** Returns how much of an item a command may take. */
export function availableOf(item: LineItem, { available: [of, ...less] }: QuantityRule): number {
  return less.reduce((rest, name) => rest - item[name], item[of]);
}

/** The customer that a write gives to an order. */
export interface NewCustomerOfOrder {
  readonly id: string;
  /** A store refuses one who was erased later, as {@link isRefusedAsErased} says. `null`: it refuses one who is erased. */
  readonly erasedBy: Timestamp | null;
}

/**
 * Returns the customer that a write gives to an order, if a store must refuse one who is erased; otherwise `null`. Only the
 * import of an order may refer to an erased customer: what it has, it has got since it was erased, which must not be earlier
 * than the erasure of the customer.
 */
export function newCustomerOf<D extends OrderDefinition>(
  write: Write<Order<D>, DomainEvent<string>>,
): NewCustomerOfOrder | null;
export function newCustomerOf(write: Write<AnyOrder, DomainEvent<string>>): NewCustomerOfOrder | null {
  if (write.kind === 'delete' || write.kind === 'key_only') return null;
  const { customer_id: id, erased_at: erasedBy } = write.after;
  if (id === null) return null;
  if (write.kind === 'change') return write.before.aggregate.customer_id === id ? null : { id, erasedBy: null };
  return { id, erasedBy };
}

/** Returns whether a store refuses the customer that a write gives to an order; `erasedAt` is `null` for one who is not erased. */
export function isRefusedAsErased({ erasedBy }: NewCustomerOfOrder, erasedAt: Timestamp | null): boolean {
  return erasedAt !== null && (erasedBy === null || erasedAt > erasedBy);
}
