import { deepFreeze } from '../shared/frozen.ts';

/** The allowed transitions from each status. This is their only definition. */
export const ORDER_LIFECYCLE = deepFreeze({
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>);

/** A status in the lifecycle of an order. */
export type OrderStatus = keyof typeof ORDER_LIFECYCLE;

/** All statuses, in the order of the lifecycle. */
export const ORDER_STATUSES: readonly OrderStatus[] = deepFreeze([
  'pending',
  'paid',
  'shipped',
  'delivered',
  'cancelled',
]);

/** Checks whether `input` is an {@link OrderStatus}. */
export function isOrderStatus(input: string): input is OrderStatus {
  return Object.hasOwn(ORDER_LIFECYCLE, input);
}

/** Returns the statuses that an order in `status` may enter next. */
export function availableTransitions(status: OrderStatus): readonly OrderStatus[] {
  return ORDER_LIFECYCLE[status];
}

/** Checks whether the lifecycle has a transition between two statuses. No status has a transition to itself. */
export function canBecome(from: OrderStatus, to: OrderStatus): boolean {
  return availableTransitions(from).includes(to);
}
