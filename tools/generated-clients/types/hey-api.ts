import {
  cancelOrder,
  type CancelOrderError,
  changeOrder,
  getOrder,
  type InvalidField,
  listOrders,
  type Order,
  type OrderStatus,
  placeOrder,
} from '../generated/hey-api/index.ts';
import * as functions from '../generated/hey-api/sdk.gen.ts';
import { exactly } from './exactly.ts';

/** The errors of a cancellation narrow by their code, to the members of the problem with it. */
export async function errors(id: string) {
  const { data, error } = await cancelOrder({ path: { id } });
  exactly<Order | undefined>()(data);
  exactly<CancelOrderError | undefined>()(error);
  if (!error) return data.status;
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

/** An operation has the problems that it can return, and no others. */
export async function problems(id: string) {
  const { error } = await getOrder({ path: { id } });
  // @ts-expect-error: a read is never rejected for the state of the order
  if (error?.code === 'order_already_cancelled') return;
  if (error?.code === 'order_not_found') exactly<404>()(error.status);
}

/** What an order has fits a new order, null clears, a list takes statuses of orders, and no header is required. */
export async function roundTrip(order: Order) {
  const items = order.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
  const { buyer, shipping_address, external_ids } = order;
  const patch = { buyer: { phone: null }, shipping_address: null, external_ids: { erp: null, stripe: ['pi_1'] } };
  await placeOrder({ body: { items, buyer, shipping_address, external_ids } });
  await changeOrder({ path: { id: order.id }, body: patch });
  exactly<string[] | undefined>()(external_ids['erp']);
  const { data } = await listOrders({ query: { status: [order.status, ...order.available_transitions] } });
  exactly<Order[] | undefined>()(data?.data);
}

declare const heads: Extract<keyof typeof functions, `head${string}` | `${string}Head`>;
// No function sends a HEAD, which would return nothing.
exactly<never>()(heads);
