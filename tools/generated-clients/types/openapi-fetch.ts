import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi-typescript.ts';
import { exactly } from './exactly.ts';

type Schemas = components['schemas'];

const client = createClient<paths>({ baseUrl: 'https://orders.test/v1' });

/** The errors of a cancellation narrow by their code, to the members of the problem with it. */
export async function errors(id: string) {
  const { data, error } = await client.POST('/orders/{id}/cancel', { params: { path: { id } } });
  exactly<Schemas['Order'] | undefined>()(data);
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
      exactly<Schemas['OrderStatus'][]>()(error.available_transitions);
      return error.current_status;
    case 'validation_failed':
      exactly<Schemas['InvalidField'][]>()(error.errors);
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
  const { error } = await client.GET('/orders/{id}', { params: { path: { id } } });
  // @ts-expect-error: a read is never rejected for the state of the order
  if (error?.code === 'order_already_cancelled') return;
  if (error?.code === 'order_not_found') exactly<404>()(error.status);
}

/** What an order has fits a new order, null clears, a list takes statuses of orders, and no header is required. */
export async function roundTrip(order: Schemas['Order']) {
  const items = order.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
  const { buyer, shipping_address, external_ids } = order;
  const patch = { buyer: { phone: null }, shipping_address: null, external_ids: { erp: null, stripe: ['pi_1'] } };
  await client.POST('/orders', { body: { items, buyer, shipping_address, external_ids } });
  await client.PATCH('/orders/{id}', { params: { path: { id: order.id } }, body: patch });
  exactly<string[] | undefined>()(external_ids['erp']);
  const status = [order.status, ...order.available_transitions];
  const { data } = await client.GET('/orders', { params: { query: { status } } });
  exactly<Schemas['Order'][] | undefined>()(data?.data);
}

// @ts-expect-error: a HEAD would return nothing
client.HEAD('/orders');
