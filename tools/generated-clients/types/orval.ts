import * as functions from '../generated/orval.ts';
import {
  cancelOrder,
  getOrder,
  type InvalidField,
  listOrders,
  type Order,
  type OrderStatus,
  placeOrder,
} from '../generated/orval.ts';
import { exactly } from './exactly.ts';

/** The errors of a cancellation narrow by their code, to the members of the problem with it. */
export async function errors(id: string) {
  const response = await cancelOrder(id);
  if (response.status === 200) {
    exactly<Order>()(response.data);
    return response.data.status;
  }
  const error = response.data;
  // @ts-expect-error: other problems have no such member
  error.current_version;
  // @ts-expect-error: no problem has this code
  if (error.code === 'order_already_canceled') return;
  switch (error.code) {
    case 'order_already_cancelled':
      exactly<number>()(error.current_version);
      exactly<409>()(error.status);
      return error.cancelled_at?.slice(0, 10);
    case 'invalid_status_transition':
      exactly<OrderStatus[]>()(error.available_transitions);
      return error.current_status;
    case 'validation_failed':
      exactly<InvalidField[]>()(error.errors);
      return error.errors[0]?.field;
    case 'insufficient_scope':
      return error.required_scope;
    default:
      // @ts-expect-error: none of the other problems has invalid fields in common
      error.errors;
      return error.title;
  }
}

/** An operation has the problems that it can return, and no others. The status of a response narrows them, too. */
export async function problems(id: string) {
  const { data, status } = await getOrder(id);
  if (status !== 404) return;
  exactly<'order_not_found'>()(data.code);
}

/** The items of an order fit a new order, a list takes statuses of orders, and no header is required. */
export async function roundTrip(order: Order) {
  const items = order.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
  await placeOrder({ items });
  const { data, status } = await listOrders({ status: [order.status, ...order.available_transitions] });
  if (status === 200) exactly<Order[]>()(data.data);
}

declare const heads: Extract<keyof typeof functions, `head${string}` | `${string}Head`>;
// No function sends a HEAD, which would return nothing.
exactly<never>()(heads);
