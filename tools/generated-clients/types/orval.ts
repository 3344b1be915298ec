import * as functions from '../generated/orval.ts';
import { cancelOrder, getOrder, listOrders, type Order, placeOrder } from '../generated/orval.ts';
import type { CancelOrderError } from '../generated/hey-api/index.ts';
import { exactly } from './exactly.ts';

/** The errors of a cancellation are those of the other client, which thus narrow by their code. */
export async function errors(id: string) {
  const response = await cancelOrder(id);
  if (response.status === 200) {
    exactly<Order>()(response.data);
    return response.data.status;
  }
  const error = response.data;
  exactly<CancelOrderError>()(error);
  return error.title;
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
