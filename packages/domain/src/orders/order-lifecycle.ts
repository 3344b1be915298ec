import { deepFreeze } from '../shared/frozen.ts';

/** What an order may become from each status. The only place that says so. */
export const ORDER_LIFECYCLE = deepFreeze({
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>);

/** Where an order is in its lifecycle. */
export type OrderStatus = keyof typeof ORDER_LIFECYCLE;

/** Every status, in the order of the lifecycle. */
export const ORDER_STATUSES: readonly OrderStatus[] = deepFreeze([
  'pending',
  'paid',
  'shipped',
  'delivered',
  'cancelled',
]);

export function isOrderStatus(input: string): input is OrderStatus {
  return Object.hasOwn(ORDER_LIFECYCLE, input);
}

/** What an order in `status` may become now. */
export function availableTransitions(status: OrderStatus): readonly OrderStatus[] {
  return ORDER_LIFECYCLE[status];
}

/** Whether the lifecycle lets an order go from one status to another; not to the one it has. */
export function canBecome(from: OrderStatus, to: OrderStatus): boolean {
  return availableTransitions(from).includes(to);
}
