import type { Client } from './client.ts';
import { changedOrder, changeTime, eventOf, FOLLOWING, type NewItem, orderBody, placedOrder } from './order-model.ts';
import type { Resource } from './resource.ts';

const ITEMS_MAX = 4;

export async function placeOrder(client: Client): Promise<void> {
  const { random } = client;
  const items = Array.from({ length: 1 + random.below(ITEMS_MAX) }, (): NewItem => {
    return { sku: `SKU-${random.below(1000)}`, quantity: 1 + random.below(9), amount: random.below(100_000) };
  });
  const customer = random.pick([...client.customers.keys()]);
  const rest = {
    ...(random.chance(0.5) && { reference: client.next() }),
    ...(random.chance(0.5) && { note: `By ${client.next()}` }),
    ...(random.chance(0.3) && { metadata: { channel: 'web', by: client.name } }),
    ...(random.chance(0.3) && customer !== undefined && { customer_id: customer }),
  };
  const response = await client.write({ method: 'POST', path: '/v1/orders', body: orderBody(items, rest) });
  const order = client.read(response, 201, placedOrder(items, rest));
  if (!order) return;
  client.orders.set(order.id, order);
  client.ledger.changed(response.key, order, 'order.placed');
}

export async function changeNote(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  await change(client, order, { note: `Changed as ${client.next()}` });
}

/** Moves the order to the next status of the lifecycle. */
export async function changeStatus(client: Client): Promise<void> {
  const order = anOrder(client, ({ status }) => status !== 'cancelled');
  const [status] = FOLLOWING[String(order?.['status'])] ?? [];
  if (!order || status === undefined) return await placeOrder(client);
  await change(client, order, status === 'cancelled' ? { status, cancel_reason: client.next() } : { status });
}

/** Sends a change without an effect, which is acknowledged and recorded as any other. */
export async function changeNothing(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  const body = { note: order['note'] };
  const response = await client.write({ method: 'PATCH', path: `/v1/orders/${order.id}`, body });
  const after = client.read(response, 200, order);
  if (after) client.ledger.changed(response.key, after);
}

export async function cancelOrder(client: Client): Promise<void> {
  const order = anOrder(client, ({ status }) => status !== 'cancelled');
  if (!order) return await placeOrder(client);
  const reason = client.next();
  const response = await client.write({ method: 'POST', path: `/v1/orders/${order.id}/cancel`, body: { reason } });
  const cancelled = { status: 'cancelled', cancel_reason: reason };
  const after = client.read(response, 200, changedOrder(order, cancelled, changeTime(response.body)));
  if (after) keep(client, response.key, after, eventOf(cancelled));
}

/** Sends a transition that the lifecycle forbids, twice. */
export async function cancelAgain(client: Client): Promise<void> {
  const order = anOrder(client, ({ status }) => status === 'cancelled');
  if (!order) return await cancelOrder(client);
  const response = await client.write({ method: 'POST', path: `/v1/orders/${order.id}/cancel`, body: {} });
  client.refused(response, 409, 'order_already_cancelled');
}

export async function changeStaleOrder(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  const headers = { 'if-match': '"9999-1"' };
  const path = `/v1/orders/${order.id}`;
  const response = await client.write({ method: 'PATCH', path, headers, body: { note: 'stale' } });
  client.refused(response, 412, 'precondition_failed');
}

export async function deleteOrder(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  const response = await client.write({ method: 'DELETE', path: `/v1/orders/${order.id}` });
  if (response.status !== 204) return client.ledger.contradicts(`${response.status} to a deletion: ${response.text}`);
  client.orders.delete(order.id);
  client.gone.push(order.id);
  client.ledger.deleted(response.key, order, 'order.deleted');
}

export async function getOrder(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  client.read(await client.send({ method: 'GET', path: `/v1/orders/${order.id}` }), 200, order);
}

export async function getDeletedOrder(client: Client): Promise<void> {
  const id = client.random.pick(client.gone);
  if (id === undefined) return await deleteOrder(client);
  client.refused(await client.send({ method: 'GET', path: `/v1/orders/${id}` }), 404, 'order_not_found');
}

/** Changes an order that others change too, at any version, and records the resulting one. */
export async function changeSharedOrder(client: Client, id: string): Promise<void> {
  const note = `Changed as ${client.next()}`;
  const response = await client.write({ method: 'PATCH', path: `/v1/orders/${id}`, body: { note } });
  const after = client.read(response, 200, { id, note, status: 'pending' });
  if (after) client.ledger.changed(response.key, after, 'order.changed');
}

async function change(client: Client, order: Resource, body: Readonly<Record<string, unknown>>): Promise<void> {
  const response = await client.write({ method: 'PATCH', path: `/v1/orders/${order.id}`, body });
  const after = client.read(response, 200, changedOrder(order, body, changeTime(response.body)));
  if (after) keep(client, response.key, after, eventOf(body));
}

function keep(client: Client, key: string, after: Resource, event: string): void {
  client.orders.set(after.id, after);
  client.ledger.changed(key, after, event);
}

function anOrder({ orders, random }: Client, of: (order: Resource) => boolean = () => true): Resource | undefined {
  return random.pick([...orders.values()].filter(of));
}
