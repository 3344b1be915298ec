import { createDomain, type OrderDefinition, ORDERS, untyped, type UntypedDomain } from '@orders/domain';
import { untypedWebhooks, type Webhooks } from '@orders/domain/webhooks';
import type { EventFeed } from '@orders/domain/events';
import type { OrderStatistics } from '@orders/domain/statistics';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { NEW_CUSTOMER } from '../../src/api/customers/customer-schemas.ts';
import { orderExamples } from '../../src/api/orders/order-examples.ts';
import { endpointExamples } from '../../src/api/webhooks/webhook-examples.ts';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { webhooksOf } from '../fixtures/a-webhooks.ts';
import { anApi } from '../fixtures/an-api.ts';
import { textAt } from '../fixtures/json.ts';
import { aNewItem, aNewOrder } from '../fixtures/new-orders.ts';
import { type FuzzRequest, writtenRequest } from '../hostile/fuzz-requests.ts';
import { type Operation, operationsOf, serversOf } from '../hostile/operations.ts';
import type { Known } from '../hostile/valid-values.ts';

/** Contents of the store before each request. */
interface Seeds {
  readonly orders: readonly string[];
  readonly customers: readonly string[];
  readonly endpoints: readonly string[];
  readonly erasures: readonly string[];
  /** Ids of the events that the endpoints have deliveries of. */
  readonly events: readonly string[];
  /** Ids of the items of each order by its id. */
  readonly items: Readonly<Record<string, readonly string[]>>;
  /** Id of the order whose items and versions have a cursor. A half of each of its items is fulfilled. */
  readonly long: string;
  /** Ids of its fulfillments, of which one was cancelled. */
  readonly fulfillments: readonly string[];
}

/** An API whose store has the same contents before each request. */
export interface SeededApi {
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly seeds: Seeds;
  /** Meaningful values of parameters and members by name. */
  readonly known: (operation: Operation) => Known;
  readonly send: (request: FuzzRequest) => Promise<ApiResponse>;
}

/** The operation on several orders, whose largest body is too large to generate, and whose orders are those of another. */
export const BATCH = 'create_order_batch';

/** Metadata keys of a resource with the maximum number. */
const FIFTY = Array.from({ length: 50 }, (_, index) => `key ${index}`);
/** Used idempotency keys of the examples in the document: of an order, and of a deleted customer. */
const KEYS = ['placed', 'created'];
/** The same: of a deleted endpoint, and of an endpoint whose secret was replaced since. */
const ENDPOINT_KEYS = ['deleted_endpoint', 'replaced_secret'];
/** The same: of a rotation before another one. */
const ROTATION_KEYS = ['replaced_rotation'];
/** Zones with whole, half and quarter hours. */
const KNOWN_ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', '+05:45'];
const OWNER = 'acme';
const TAKEN = { reference: 'PO-1', email: 'grace@example.com' };

/** Creates an API with orders of a definition. */
export async function aSeededApi(definition: OrderDefinition = ORDERS): Promise<SeededApi> {
  let current = await aSeededDomain(definition);
  let changed = false;
  const seeds = current.seeds;
  const domain = currentOf(current.domain, () => current.domain);
  const webhooks = currentOf(current.webhooks, () => current.webhooks);
  const feed: EventFeed<OrderDefinition> = {
    read: (owner, query) => current.feed.read(owner, query),
    // A port may always end a wait early. No event follows in these tests.
    wait: () => Promise.resolve(),
  };
  const statistics = currentOf(current.statistics, () => current.statistics);
  const { acme: client } = await anApi({ domain, feed, statistics, webhooks });
  const { body: document } = await client.get('/openapi.json');
  const ofLong = `orders/${seeds.long}`;
  const lists = ['orders', `${ofLong}/items`, `${ofLong}/versions`, 'customers', 'events', 'webhook_endpoints'];
  const cursors: string[] = [];
  for (const list of [...lists, `webhook_endpoints/${seeds.endpoints[0]}/deliveries`])
    cursors.push(textAt((await client.get(`/v1/${list}?limit=1`)).body, 'page', 'next_cursor'));
  return {
    servers: serversOf(document),
    operations: operationsOf(document),
    seeds,
    known: ({ path }) => ({
      id: idsOf(seeds, path),
      ids: [idsOf(seeds, path)],
      event_id: seeds.events,
      ...(path.startsWith('/orders/{id}/') && commandsOf(seeds, path)),
      customer_id: seeds.customers,
      reference: [TAKEN.reference],
      email: [TAKEN.email, TAKEN.email.toUpperCase()],
      buyer_email: [TAKEN.email],
      after: cursors,
      version: [1, 2],
      currency: ['EUR'],
      quantity: [2],
      from: ['2026-01-01T00:00:00Z'],
      before: ['2026-01-03T00:00:00+02:00'],
      time_zone: KNOWN_ZONES,
      'Idempotency-Key': keysOf(path),
      'If-Match': ['*', '"1-1"', '"0-1", "2-1"', 'W/"1-1"'],
      'If-None-Match': ['*', '"1-1"', 'W/"2-1"'],
    }),
    send: async (request) => {
      if (changed) current = await aSeededDomain(definition);
      changed = request.operation.method !== 'GET';
      const response = await client.send(writtenRequest(request));
      // A rejected request changed nothing.
      changed &&= response.status < 300;
      return response;
    },
  };
}

/** Returns an object whose members are always those of the current one. */
function currentOf<T extends object>(first: T, current: () => T): T {
  return new Proxy(first, {
    get: (_, name) => {
      const useCase: unknown = Reflect.get(current(), name);
      return useCase;
    },
  });
}

/** Returns the ids of the resources of a path. */
function idsOf({ orders, customers, endpoints, erasures, long }: Seeds, path: string): readonly string[] {
  if (path === '/webhook_endpoints/{id}/secrets') return endpoints.slice(0, 1);
  if (path.startsWith('/webhook_endpoints')) return endpoints;
  if (path.startsWith('/erasures')) return erasures;
  if (/^\/orders\/\{id\}\/(fulfillments|returns)/.test(path)) return [long];
  return path.startsWith('/orders') ? orders : customers;
}

/** Returns values of commands of the long order. */
function commandsOf({ items, long, fulfillments }: Seeds, path: string): Known {
  const [item_id = ''] = items[long] ?? [];
  const adjustment = (amount: number) => [{ type: 'fee', name: 'Fee', amount: { amount, currency: 'EUR' } }];
  return {
    item_id: items[long] ?? [],
    fulfillment_id: fulfillments,
    items: path.endsWith('/items') ? [[aNewItem()]] : [[{ item_id, quantity: 2 }], [{ item_id, quantity: 3 }]],
    adjustments: [adjustment(1), adjustment(-1)],
  };
}

/** Returns the used keys of the operations of a path. */
function keysOf(path: string): readonly string[] {
  if (path === '/webhook_endpoints/{id}/secrets') return ROTATION_KEYS;
  return path === '/webhook_endpoints' ? ENDPOINT_KEYS : KEYS;
}

/** Seeds customers and orders in every status, always with the same ids and times. */
async function aSeededDomain(definition: OrderDefinition): Promise<{
  readonly domain: UntypedDomain;
  readonly webhooks: Webhooks<OrderDefinition>;
  readonly feed: EventFeed<OrderDefinition>;
  readonly statistics: OrderStatistics<OrderDefinition>;
  readonly seeds: Seeds;
}> {
  const clock = fixedClock();
  const store = inMemoryStore({ clock, definition });
  const domain = untyped(createDomain({ ...store, clock, ids: sequentialIds() }, definition));
  const webhooks = webhooksOf(definition, store, clock);
  const endpoints = await seedEndpoints(webhooks);
  const useCases = domain;
  const create = async (customer: object, idempotencyKey?: string) =>
    (await useCases.createCustomer(OWNER, customer, { idempotencyKey }))._unsafeUnwrap().customer;
  const place = async (order: object, idempotencyKey?: string) =>
    (await useCases.placeOrder(OWNER, aNewOrder({ ...order }), { idempotencyKey }))._unsafeUnwrap().order;
  const metadata = Object.fromEntries(FIFTY.map((key) => [key, '']));

  const gone = await create(NEW_CUSTOMER, 'created');
  (await domain.deleteCustomer(OWNER, gone.id))._unsafeUnwrap();
  const buyer = await create({ email: TAKEN.email, metadata });
  const customers = [buyer, await create({ email: 'edsger@example.com', name: 'Edsger' })];
  const taken = await place({ customer_id: buyer.id, reference: TAKEN.reference });
  const long = await place({ items: [aNewItem({ quantity: 4 }), aNewItem({ quantity: 4 })], metadata });
  (await domain.changeOrder(OWNER, long.id, { note: 'Long' }))._unsafeUnwrap();
  const half = { items: long.items.map(({ id: item_id }) => ({ item_id, quantity: 2 })) };
  const mistaken = (await domain.fulfillItems(OWNER, long.id, half))._unsafeUnwrap().order.fulfillments[0]?.id ?? '';
  (await domain.cancelFulfillment(OWNER, long.id, mistaken))._unsafeUnwrap();
  const { fulfillments } = (await domain.fulfillItems(OWNER, long.id, half))._unsafeUnwrap().order;
  const orders = [taken, long, await place(orderExamples(definition).NEW_ORDER, 'placed')];
  for (const path of pathsOf(definition)) {
    const order = await place({});
    for (const status of path) {
      (await useCases.changeOrder(OWNER, order.id, { status }))._unsafeUnwrap();
    }
    orders.push(order);
  }
  const { erasure } = (await domain.erasePerson(OWNER, { email: 'nobody@example.com' }))._unsafeUnwrap();
  const deliveries = (await webhooks.listDeliveries(OWNER, endpoints[0] ?? ''))._unsafeUnwrap();
  return {
    domain,
    webhooks,
    feed: store.feed,
    statistics: store.statistics,
    seeds: {
      endpoints,
      erasures: [erasure.id],
      events: deliveries.data.map(({ event_id }) => event_id),
      orders: orders.map(({ id }) => id),
      customers: customers.map(({ id }) => id),
      items: Object.fromEntries(orders.map(({ id, items }) => [id, items.map((item) => item.id)])),
      long: long.id,
      fulfillments: fulfillments.map(({ id }) => id),
    },
  };
}

/** Seeds endpoints before the events that they receive. The first one has had two rotations. */
async function seedEndpoints(webhooks: Webhooks<OrderDefinition>): Promise<readonly string[]> {
  const useCases = untypedWebhooks(webhooks);
  const create = async (idempotencyKey?: string) =>
    (
      await useCases.createEndpoint(OWNER, endpointExamples(webhooks.definition).NEW_ENDPOINT, { idempotencyKey })
    )._unsafeUnwrap().endpoint.id;
  const gone = await create('deleted_endpoint');
  (await webhooks.deleteEndpoint(OWNER, gone))._unsafeUnwrap();
  const rotated = await create('replaced_secret');
  for (const idempotencyKey of ['replaced_rotation', undefined])
    (await webhooks.rotateSecret(OWNER, rotated, {}, { idempotencyKey }))._unsafeUnwrap();
  const disabled = await create();
  (await webhooks.changeEndpoint(OWNER, disabled, { status: 'disabled' }))._unsafeUnwrap();
  return [rotated, disabled];
}

/** Maximum number of statuses that orders are seeded in. */
const SEEDED_MAX = 5;

/** Returns the shortest ways to some statuses, that of a cancelled order among them. */
function pathsOf({ lifecycle, initial, cancel }: OrderDefinition): readonly (readonly string[])[] {
  const paths = new Map<string, readonly string[]>([[initial, []]]);
  // A map is iterated over the entries that are added meanwhile, too.
  for (const [reached, path] of paths)
    for (const target of lifecycle[reached] ?? []) if (!paths.has(target)) paths.set(target, [...path, target]);
  const others = [...paths.values()].filter((path) => path.length > 0 && path.at(-1) !== cancel);
  return [...others.slice(0, SEEDED_MAX - 1), paths.get(cancel) ?? []];
}
