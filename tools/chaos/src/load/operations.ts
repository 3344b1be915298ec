import type { Random } from '@orders/property-runs/random';
import type { Client } from './client.ts';
import { isRecord, type Resource } from './resource.ts';

/** The operations of clients, with their weights. Each checks its response by the contract alone. */
const MIX: readonly (readonly [number, (client: Client) => Promise<void>])[] = [
  [24, placeOrder],
  [12, changeNote],
  [16, changeStatus],
  [24, chargeOrder],
  [5, cancelOrder],
  [5, deleteOrder],
  [10, getOrder],
];

const TOTAL = MIX.reduce((sum, [weight]) => sum + weight, 0);

/** Runs a random operation; a share of `contended` goes to an order that all clients change. */
export async function doSomething(client: Client, shared: readonly string[], contended: number): Promise<void> {
  const id = client.random.chance(contended) ? client.random.pick(shared) : undefined;
  if (id !== undefined) return await changeSharedOrder(client, id);
  let left = client.random.below(TOTAL);
  for (const [weight, operation] of MIX) {
    left -= weight;
    if (left < 0) return await operation(client);
  }
}

/** The transitions of each status according to the contract, independent of the tested program. */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered', 'cancelled'],
  delivered: ['cancelled'],
  cancelled: [],
};

const ITEMS_MAX = 4;

const EUR = 'EUR';

export async function placeOrder(client: Client): Promise<void> {
  const { random } = client;
  const items = Array.from({ length: 1 + random.below(ITEMS_MAX) }, () => anItem(random));
  const rest = {
    ...(random.chance(0.5) && { reference: client.next() }),
    ...(random.chance(0.5) && { note: `By ${client.next()}` }),
    ...(random.chance(0.3) && { metadata: { channel: 'web', by: client.name } }),
  };
  const absent = { customer_id: null, reference: null, note: null, metadata: {}, cancel_reason: null };
  const times = {
    paid_at: null,
    shipped_at: null,
    delivered_at: null,
    cancelled_at: null,
    corrected_at: null,
    erased_at: null,
  };
  const response = await client.write({ method: 'POST', path: '/v1/orders', body: { ...rest, items } });
  const state = { status: 'pending', version: 1, available_transitions: FOLLOWING['pending'] };
  const amount = items.reduce((sum, item) => sum + item.quantity * item.unit_price.amount, 0);
  const charged = { adjustments: [], fulfillments: [], total: { amount, currency: EUR } };
  const order = client.read(response, 201, { ...state, ...absent, ...times, ...rest, ...charged });
  if (order) keep(client, response.key, order, 'order.placed');
}

function anItem(random: Random) {
  const sku = `SKU-${random.below(1000)}`;
  const unit_price = { amount: random.below(100_000), currency: EUR };
  return { sku, name: `The thing ${sku}`, quantity: 1 + random.below(9), unit_price };
}

async function changeNote(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  const body = { note: `Changed as ${client.next()}` };
  await change(client, order, { method: 'PATCH', path: `/v1/orders/${order.id}`, body }, body);
}

/** Moves the order to the next status of the lifecycle. */
async function changeStatus(client: Client): Promise<void> {
  const order = anOrder(client, ({ status }) => status !== 'cancelled');
  const [status] = FOLLOWING[String(order?.['status'])] ?? [];
  if (!order || status === undefined) return await placeOrder(client);
  const body = status === 'cancelled' ? { status, cancel_reason: client.next() } : { status };
  await change(client, order, { method: 'PATCH', path: `/v1/orders/${order.id}`, body }, body);
}

async function cancelOrder(client: Client): Promise<void> {
  const order = anOrder(client, ({ status }) => status !== 'cancelled');
  if (!order) return await placeOrder(client);
  const reason = client.next();
  const request = { method: 'POST', path: `/v1/orders/${order.id}/cancel`, body: { reason } } as const;
  await change(client, order, request, { status: 'cancelled', cancel_reason: reason });
}

/** Adjusts an order, or fulfils all of it. The simulations of the domain prove what becomes of amounts and quantities. */
async function chargeOrder(client: Client): Promise<void> {
  const { random } = client;
  const order = anOrder(client, ({ status }) => status !== 'cancelled');
  if (!order) return await placeOrder(client);
  const isNew = Array.isArray(order['fulfillments']) && order['fulfillments'].length === 0;
  const fee = { type: 'fee', name: 'A fee', amount: { amount: random.below(5000), currency: EUR } };
  const { path, body, event, names } =
    isNew && random.chance(0.5)
      ? { path: 'fulfillments', body: {}, event: 'order.items_fulfilled', names: ['items', 'fulfillments'] }
      : { path: 'adjustments', body: { adjustments: [fee] }, event: 'order.adjusted', names: ['adjustments', 'total'] };
  const response = await client.write({ method: 'POST', path: `/v1/orders/${order.id}/${path}`, body });
  const after = isRecord(response.body) ? response.body : {};
  check(client, order, response, Object.fromEntries(names.map((name) => [name, after[name]])), event);
}

async function deleteOrder(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  const response = await client.write({ method: 'DELETE', path: `/v1/orders/${order.id}` });
  if (response.status !== 204) return client.ledger.contradicts(`${response.status} to a deletion: ${response.text}`);
  client.orders.delete(order.id);
  client.ledger.deleted(response.key, order, 'order.deleted');
}

async function getOrder(client: Client): Promise<void> {
  const order = anOrder(client);
  if (!order) return await placeOrder(client);
  client.read(await client.send({ method: 'GET', path: `/v1/orders/${order.id}` }), 200, order);
}

/** Changes an order that others change too, at any version, and records the resulting one. */
async function changeSharedOrder(client: Client, id: string): Promise<void> {
  const note = `Changed as ${client.next()}`;
  const response = await client.write({ method: 'PATCH', path: `/v1/orders/${id}`, body: { note } });
  const after = client.read(response, 200, { id, note, status: 'pending' });
  if (after) client.ledger.changed(response.key, after, 'order.changed');
}

/** Changes an order as no other client does, so that the complete result is known. */
async function change(
  client: Client,
  before: Resource,
  request: Parameters<Client['write']>[0],
  changed: { readonly note?: string; readonly status?: string; readonly cancel_reason?: string },
): Promise<void> {
  const response = await client.write(request);
  const { status } = changed;
  const entered =
    status === undefined
      ? {}
      : { [`${status}_at`]: changeTime(response.body), available_transitions: FOLLOWING[status] };
  check(client, before, response, { ...changed, ...entered }, `order.${status ?? 'changed'}`);
}

/** Compares a changed order with what is expected, and records the change. */
function check(
  client: Client,
  before: Resource,
  response: Awaited<ReturnType<Client['write']>>,
  changed: Readonly<Record<string, unknown>>,
  event: string,
): void {
  const updated_at = changeTime(response.body);
  const after = client.read(response, 200, { ...before, ...changed, version: before.version + 1, updated_at });
  if (after) keep(client, response.key, after, event);
}

function keep(client: Client, key: string, after: Resource, event: string): void {
  client.orders.set(after.id, after);
  client.ledger.changed(key, after, event);
}

function anOrder({ orders, random }: Client, of: (order: Resource) => boolean = () => true): Resource | undefined {
  return random.pick([...orders.values()].filter(of));
}

/** Returns when a resource was last changed, according to a response. */
function changeTime(body: unknown): string {
  return isRecord(body) ? String(body['updated_at']) : '';
}
