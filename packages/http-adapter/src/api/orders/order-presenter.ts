import { availableTransitions, type Order } from '@orders/domain';

/** An order as every answer shows it. */
export function presentOrder(order: Order) {
  return { ...order, available_transitions: availableTransitions(order.status) };
}
