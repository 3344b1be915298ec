import { createDomain, type Domain, untyped } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { NEW_CUSTOMER } from '../../src/api/customers/customer-schemas.ts';
import { NEW_ORDER } from '../../src/api/orders/order-schemas.ts';
import type { ApiResponse, Client } from '../a-client.ts';
import { anApi } from '../an-api.ts';
import { listAt, textAt } from '../json.ts';
import { aNewItem, aNewOrder } from '../new-orders.ts';
import { type FuzzRequest, send } from './fuzz-requests.ts';
import { type Operation, operationsOf } from './operations.ts';
import type { Known } from './valid-values.ts';

/** Contents of the store before each request. */
interface Seeds {
  readonly orders: readonly string[];
  readonly customers: readonly string[];
  /** Metadata keys of each resource by its id. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
  /** Id of the order whose items and versions have a cursor. */
  readonly long: string;
}

/** An API whose store has the same contents before each request. */
export interface SeededApi {
  /** The served OpenAPI document. */
  readonly document: unknown;
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly seeds: Seeds;
  /** Cursors of the first page of each list by operation. */
  readonly cursors: Readonly<Record<string, string>>;
  /** Meaningful values of parameters and members by name. */
  readonly known: (operation: Operation) => Known;
  readonly send: (request: FuzzRequest) => Promise<ApiResponse>;
}

/** Metadata keys of a resource with the maximum number. */
const FIFTY = Array.from({ length: 50 }, (_, index) => `key ${index}`);
/** Used idempotency keys of the examples in the document: of an order, and of a deleted customer. */
export const USED_KEYS = ['placed', 'created'];
const OWNER = 'acme';
const TAKEN = { reference: 'PO-1', email: 'grace@example.com' };

export async function aSeededApi(): Promise<SeededApi> {
  let current = await aSeededDomain();
  let changed = false;
  const seeds = current.seeds;
  const domain = new Proxy(current.domain, {
    get: (_, name) => {
      const useCase: unknown = Reflect.get(current.domain, name);
      return useCase;
    },
  });
  const feed: EventFeed = {
    read: (owner, query) => current.feed.read(owner, query),
    // A port may always end a wait early. No event follows in these tests.
    wait: () => Promise.resolve(),
  };
  const { acme: client } = await anApi({ domain, feed });
  const { body: document } = await client.get('/openapi.json');
  const cursors: Readonly<Record<string, string>> = {
    orders: await cursorOf(client, '/v1/orders?limit=1'),
    items: await cursorOf(client, `/v1/orders/${seeds.long}/items?limit=1`),
    versions: await cursorOf(client, `/v1/orders/${seeds.long}/versions?limit=1`),
    customers: await cursorOf(client, '/v1/customers?limit=1'),
    events: await cursorOf(client, '/v1/events?limit=1'),
  };
  return {
    document,
    servers: listAt(document, 'servers').map((server) => textAt(server, 'url')),
    operations: operationsOf(document),
    seeds,
    cursors,
    known: ({ path }) => ({
      id: path.startsWith('/orders') ? seeds.orders : seeds.customers,
      customer_id: seeds.customers,
      reference: [TAKEN.reference],
      email: [TAKEN.email, TAKEN.email.toUpperCase()],
      after: Object.values(cursors),
      version: [1, 2],
      currency: ['EUR'],
      quantity: [2],
      'Idempotency-Key': USED_KEYS,
      'If-Match': ['*', '"1-1"', '"0-1", "2-1"', 'W/"1-1"'],
      'If-None-Match': ['*', '"1-1"', 'W/"2-1"'],
    }),
    send: async (request) => {
      if (changed) current = await aSeededDomain();
      changed = !['GET', 'HEAD'].includes(request.operation.method);
      const response = await send(client, request);
      // A rejected request changed nothing.
      changed &&= response.status < 300;
      return response;
    },
  };
}

async function cursorOf(client: Client, url: string): Promise<string> {
  return textAt((await client.get(url)).body, 'page', 'next_cursor');
}

/** Seeds customers and orders in every status, always with the same ids and times. */
async function aSeededDomain(): Promise<{
  readonly domain: Domain;
  readonly feed: EventFeed;
  readonly seeds: Seeds;
}> {
  const { feed, orders: orderRepository, customers: customerRepository } = inMemoryStore();
  const repositories = { orders: orderRepository, customers: customerRepository };
  const domain = createDomain({ ...repositories, clock: fixedClock(), ids: sequentialIds() });
  const useCases = untyped(domain);
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
  const long = await place({ items: [aNewItem(), aNewItem()], metadata });
  (await domain.changeOrder(OWNER, long.id, { note: 'Long' }))._unsafeUnwrap();
  const orders = [taken, long, await place(NEW_ORDER, 'placed')];
  for (const [index] of STATUSES.entries()) {
    const order = await place({});
    for (const status of STATUSES[index] ?? []) {
      (await useCases.changeOrder(OWNER, order.id, { status }))._unsafeUnwrap();
    }
    orders.push(order);
  }
  const all = [...customers, ...orders];
  return {
    domain,
    feed,
    seeds: {
      orders: orders.map(({ id }) => id),
      customers: customers.map(({ id }) => id),
      metadata: Object.fromEntries(all.map((each) => [each.id, Object.keys(each.metadata)])),
      long: long.id,
    },
  };
}

/** Statuses of the seeded orders. */
const STATUSES = [['paid'], ['paid', 'shipped'], ['paid', 'shipped', 'delivered'], ['cancelled']];
