import * as functions from '../generated/orval.ts';
import { cancelOrder, changeOrder, getOrder, listOrders, type Order, placeOrder } from '../generated/orval.ts';
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

/** What an order has fits a new order, null clears, a list takes statuses of orders, and no header is required. */
export async function roundTrip(order: Order) {
  const items = order.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
  const { buyer, shipping_address, external_ids } = order;
  const patch = { buyer: { phone: null }, shipping_address: null, external_ids: { erp: null, stripe: ['pi_1'] } };
  await placeOrder({ items, buyer, shipping_address, external_ids });
  await changeOrder(order.id, patch);
  exactly<string[] | undefined>()(external_ids['erp']);
  const { data, status } = await listOrders({ status: [order.status, ...order.available_transitions] });
  if (status === 200) exactly<Order[]>()(data.data);
}

declare const heads: Extract<keyof typeof functions, `head${string}` | `${string}Head`>;
// No function sends a HEAD, which would return nothing.
exactly<never>()(heads);
