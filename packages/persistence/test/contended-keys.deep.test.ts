import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Customer, Idempotency, Order } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { ok, type ResultAsync } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';
import { type DecidedCustomers, type DecidedOrders, decidedCustomers, decidedOrders } from './decided-writes.ts';

const SERVERS = 3;
const CLIENTS_PER_SERVER = 8;
const ROUNDS = 15;
const WRITES_PER_CLIENT = 10;

/** The repositories of one server. */
interface Server {
  readonly database: Database;
  readonly orders: DecidedOrders;
  readonly customers: DecidedCustomers;
}

const database = testDatabase();
const servers: Server[] = [];

beforeAll(() => {
  for (let count = 0; count < SERVERS; count += 1) {
    const opened = openDatabase({
      url: database.url,
      preparedStatements: inject('preparedStatements'),
      // Only a deadlock ends a wait, also on a busy machine.
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 60_000,
      lockTimeoutMs: 30_000,
    });
    const [orders, customers] = [decidedOrders(opened), decidedCustomers(opened)];
    servers.push({ database: opened, orders, customers });
  }
});
afterAll(async () => {
  for (const { database: opened } of servers) await opened.close();
});

/** Returns an element, chosen at random. */
function oneOf<T>(elements: readonly [T, ...T[]]): T {
  return elements[Math.floor(Math.random() * elements.length)] ?? elements[0];
}

/** What the clients of one owner share. */
interface Shared {
  readonly owner: string;
  readonly orderIds: readonly [string, ...string[]];
  readonly customerIds: readonly [string, ...string[]];
}

type Outcome = ResultAsync<{ readonly replayed: boolean }, { readonly type: string }>;

/** A kind of write, and how often clients choose it. */
type Choice = readonly [weight: number, write: (server: Server) => Outcome];

/** Returns the writes that clients choose from, all of few orders and customers, with few references and emails. */
function choices({ owner, orderIds, customerIds }: Shared): readonly Choice[] {
  /** Most keys expire while others use them, so that they are recorded again and again. */
  const keyed = (fingerprint: string): Idempotency | undefined => {
    const key = oneOf(['a', 'b', '']);
    const now = new Date().toISOString();
    const expires_at = new Date(Date.parse(now) + oneOf([1, 2, 5])).toISOString();
    return key === '' ? undefined : { key, fingerprint, now, expires_at };
  };
  const reference = () => oneOf([null, 'PO-1', 'PO-2']);
  const customer_id = () => oneOf([null, ...customerIds]);
  const email = () => oneOf(['ada@example.com', 'eve@example.com', `${randomUUID()}@example.com`]);
  const event = () => ({ id: randomUUIDv7() });
  const changeOrder = (before: Order) => {
    const order = { ...before, reference: reference(), customer_id: customer_id(), version: before.version + 1 };
    return ok({ order, event: anEventOf(owner, order, event()) });
  };
  const changeCustomer = (before: Customer) => {
    const customer = { ...before, email: email(), version: before.version + 1 };
    return ok({ customer, event: anEventOfCustomer(owner, customer, event()) });
  };
  const deleteOrder = (order: Order) => ok(anEventOf(owner, order, { ...event(), type: 'order.deleted' }));
  const deleteCustomer = (customer: Customer) =>
    ok(anEventOfCustomer(owner, customer, { ...event(), type: 'customer.deleted' }));
  return [
    [
      4,
      ({ orders }) => {
        const order = anOrder({ id: randomUUIDv7(), reference: reference(), customer_id: customer_id() });
        return orders.insert(owner, { order, event: anEventOf(owner, order, event()) }, keyed('place'));
      },
    ],
    [8, ({ orders }) => orders.update(owner, oneOf(orderIds), changeOrder, keyed('change'))],
    [2, ({ orders }) => orders.update(owner, oneOf(orderIds), (order) => ok({ order, event: null }), keyed('no-op'))],
    [1, ({ orders }) => orders.delete(owner, oneOf(orderIds), deleteOrder, keyed('delete'))],
    [
      2,
      ({ customers }) => {
        const customer = aCustomer({ id: randomUUIDv7(), email: email() });
        return customers.insert(
          owner,
          { customer, event: anEventOfCustomer(owner, customer, event()) },
          keyed('create'),
        );
      },
    ],
    [6, ({ customers }) => customers.update(owner, oneOf(customerIds), changeCustomer, keyed('rename'))],
    [1, ({ customers }) => customers.delete(owner, oneOf(customerIds), deleteCustomer, keyed('remove'))],
  ];
}

/** Stores the orders and customers that the clients of an owner share. */
async function prepare({ owner, orderIds, customerIds }: Shared): Promise<void> {
  const orders = decidedOrders(database.current);
  const customers = decidedCustomers(database.current);
  for (const customer of customerIds.map((id) => aCustomer({ id })))
    (await customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) }))._unsafeUnwrap();
  for (const order of orderIds.map((id) => anOrder({ id })))
    (await orders.insert(owner, { order, event: anEventOf(owner, order) }))._unsafeUnwrap();
}

/** The errors that a write of these clients may have. Contention is none of them. */
const REJECTIONS = [
  'customer_has_orders',
  'customer_not_found',
  'email_taken',
  'idempotency_key_reused',
  'order_not_found',
  'reference_taken',
  'unknown_customer',
];

/** Selects the aggregates of an owner whose change records differ from their rows, or have gaps. */
function inconsistent(owner: string): string {
  return `with rows as (
      select 'order' as aggregate, id, version from orders where owner_id = '${owner}'
      union all select 'customer', id, version from customers where owner_id = '${owner}'),
    recorded as (
      select aggregate, aggregate_id as id, count(*)::int as count, min(version) as first, max(version) as last,
        bool_or(type like '%.deleted') as deleted, count(distinct (snapshot ->> 'version')::int)::int as snapshots
      from changes where owner_id = '${owner}' group by aggregate, aggregate_id)
    select aggregate, id, rows.version, recorded.* from rows full join recorded using (aggregate, id)
    where recorded.first is distinct from 1 or recorded.count <> recorded.last
      or coalesce(rows.version, 0) <> case when recorded.deleted then 0 else recorded.last end
      or recorded.snapshots <> case when not recorded.deleted then recorded.last
        when aggregate = 'order' then recorded.last - 1 else 0 end`;
}

describe('clients of several servers that share few keys, orders, customers and names', () => {
  it('have no error but those of the domain, and leave one change record for each version', async () => {
    const outcomes = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const shared: Shared = {
        owner: randomUUID(),
        orderIds: [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()],
        customerIds: [randomUUIDv7(), randomUUIDv7()],
      };
      await prepare(shared);
      const chosen = choices(shared).flatMap(([weight, write]) => Array.from({ length: weight }, () => write));
      const client = async (server: Server): Promise<void> => {
        for (let turn = 0; turn < WRITES_PER_CLIENT; turn += 1) {
          const write = chosen[Math.floor(Math.random() * chosen.length)];
          const outcome = await write?.(server).match(
            ({ replayed }) => (replayed ? 'replayed' : 'written'),
            ({ type }) => type,
          );
          outcomes.set(outcome ?? '', (outcomes.get(outcome ?? '') ?? 0) + 1);
        }
      };
      await Promise.all(servers.flatMap((server) => Array.from({ length: CLIENTS_PER_SERVER }, () => client(server))));
      expect(await execute(database.url, inconsistent(shared.owner))).toEqual([]);
    }
    expect([...outcomes.keys()].toSorted()).toEqual([...REJECTIONS, 'replayed', 'written'].toSorted());
  });
});
