import { type OrderVersionQuery, PAGE_LIMIT_MAX } from '@orders/domain';
import { aCustomer, anOrder } from '@orders/domain/testing';
import type { Database } from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';
import { type Cost, costOf, costOfCall } from './plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import {
  decidedCustomers,
  decidedOrders,
  type DecidedOrders,
  lastingKey,
  withName,
  withNote,
} from '../fixtures/decided-writes.ts';
import { sent } from '../fixtures/watched-server.ts';

const OWNER = 'owner 3';
/** Change records in all, most of them of orders with three versions. */
const CHANGES = 1_000_000;
/** The versions of one order, and of one customer. */
const ORDER_VERSIONS = 120_000;
const CUSTOMER_VERSIONS = 500;
const KEYS = 100_000;
/** The numbers of executions on one connection. From the sixth on PostgreSQL may use one plan for all values. */
const TIMES = [1, 10] as const;
/** Maximum number of pages of an index and its table for one row. */
const LOOKUP_BUFFERS = 6;

const LONG = '00000000-0000-7000-8000-00000000000a';
const CUSTOMER = '00000000-0000-7000-8000-00000000000c';
const SHORT = '00000000-0000-7000-8000-001000000003';

type Executed = Pick<Cost, 'read' | 'buffers'> & { readonly text: string; readonly scanned: readonly string[] };

const database = testDatabase();

const ordinal = (n: string) => `('00000000-0000-7000-8000-001' || lpad((${n})::text, 9, '0'))::uuid`;

beforeAll(async () => {
  const order = anOrder({ id: LONG });
  (await decidedOrders(database.current).insert(OWNER, order))._unsafeUnwrap();
  const snapshot = `'${JSON.stringify(toOrderSnapshot(order, null))}'`;
  await execute(
    database.url,
    `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot,
       snapshot_format)
     select '${OWNER}', 'order', '${LONG}', n, gen_random_uuid(), 'order.changed', '["note"]',
       timestamptz '2026-02-01' + interval '1 second' * (n / 3), ${snapshot}, 1
     from generate_series(2, ${ORDER_VERSIONS}) as n;
     insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot,
       snapshot_format)
     select 'owner ' || n % 5, 'order', ${ordinal('n')}, version, gen_random_uuid(), 'order.changed', '[]',
       timestamptz '2026-01-02' + interval '1 second' * (n + version), ${snapshot}, 1
     from generate_series(1, ${(CHANGES - ORDER_VERSIONS) / 3}) as n, generate_series(1, 3) as version;
     insert into customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
     values ('${OWNER}', '${CUSTOMER}', 'eve@example.com', 'eve@example.com', '{}', ${CUSTOMER_VERSIONS}, now(), now());
     insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
     select '${OWNER}', 'customer', '${CUSTOMER}', n, '[]', now(), 1 from generate_series(1, ${CUSTOMER_VERSIONS}) as n;
     insert into idempotency (owner_id, key, fingerprint, aggregate, aggregate_id, version, expires_at)
     select 'owner ' || n % 5, 'key ' || n, 'f', 'order', ${ordinal('n')}, 1 + n % 3, '2100-01-01'
     from generate_series(1, ${KEYS}) as n;
     update orders set version = ${ORDER_VERSIONS};
     -- Enough other rows to make scans of whole tables expensive.
     insert into customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
     select 'owner ' || n % 5, ${ordinal('n')}, 'c' || n, 'c' || n, '{}', 3, now(), now() from generate_series(1, 20000) n;
     insert into orders (owner_id, id, status, currency, total_amount, element_count, metadata, items, version, created_at,
       updated_at)
     select 'owner ' || n % 5, ${ordinal('n')}, 'pending', 'EUR', 1, 1, '{}', '[]', 3, now(), now()
     from generate_series(1, 20000) as n`,
  );
  await execute(database.url, 'vacuum analyze');
});

/** Returns the costs of the statements with `part` that `work` sends, after `times` earlier executions of each. */
async function costsOf(times: number, work: (orders: DecidedOrders) => unknown, part = '') {
  const all = await sent(database.url, async (server) => void (await work(decidedOrders(server))));
  const statements = all.filter(({ text }) => text.includes(part));
  expect(statements.length).toBeGreaterThan(0);
  const costs: Executed[] = [];
  for (const statement of statements)
    costs.push({ text: statement.text, ...(await costOf(database.url, statement, times)) });
  return costs;
}

/** Checks that statements find their rows by an index, and read at most so many of each table in one statement. */
function expectLookups(executed: readonly Executed[], most: Readonly<Record<string, number>>): void {
  for (const { text, read, scanned } of executed) {
    expect({ text, scanned }).toEqual({ text, scanned: [] });
    for (const [table, rows] of Object.entries(read)) {
      expect({ text, table, isBounded: rows <= (most[table] ?? 1) }).toEqual({ text, table, isBounded: true });
    }
  }
}

const buffersOf = (executed: readonly Executed[]) => executed.reduce((sum, { buffers }) => sum + buffers, 0);

describe.each(TIMES)('the versions of an order among a million change records, after %i executions', (times) => {
  const list = (id: string, query: Partial<OrderVersionQuery>) =>
    costsOf(times, async (orders) => {
      const all = { limit: PAGE_LIMIT_MAX, after: null, at: null, ...query };
      (await orders.listVersions(OWNER, id, all))._unsafeUnwrap();
    });

  it.each([
    ['at the beginning', ORDER_VERSIONS + 1],
    ['in the middle', ORDER_VERSIONS / 2],
    ['at the end', PAGE_LIMIT_MAX + 1],
  ])('are listed by reads of one page alone, %s', async (_, value) => {
    const page = await list(LONG, { after: { value, id: LONG } });
    expectLookups(page, { changes: PAGE_LIMIT_MAX + 1 });
    expect(buffersOf(page)).toBeLessThan(2 * LOOKUP_BUFFERS * PAGE_LIMIT_MAX);
  });

  it.each([
    '2026-01-15T00:00:00.000Z',
    '2026-02-01T00:00:01.000Z',
    '2026-02-01T03:00:00.500Z',
    '2026-09-01T00:00:00.000Z',
  ])('are found by a time in a number of steps that grows with the logarithm: %s', async (at) => {
    const steps = Math.ceil(Math.log2(ORDER_VERSIONS)) + 1;
    const found = await list(LONG, { at });
    expectLookups(found, { changes: steps + 3 });
    expect(buffersOf(found)).toBeLessThan((steps + 5) * LOOKUP_BUFFERS);
    const short = await list(SHORT, { at });
    expect(buffersOf(short)).toBeLessThan(12 * LOOKUP_BUFFERS);
  });

  it('are found by number with one read', async () => {
    const found = await costsOf(times, async (orders) =>
      (await orders.findVersion(OWNER, LONG, ORDER_VERSIONS / 2))._unsafeUnwrap(),
    );
    expectLookups(found, {});
    expect(buffersOf(found)).toBeLessThan(4 * LOOKUP_BUFFERS);
  });
});

describe.each(TIMES)('a replay among a million change records, after %i executions', (times) => {
  it('finds the version of its key, at whatever version its order is now', async () => {
    const write = (orders: DecidedOrders) =>
      orders.update(OWNER, LONG, withNote('changed'), lastingKey(`change ${times}`));
    (await write(decidedOrders(database.current)))._unsafeUnwrap();
    const replay = async (orders: DecidedOrders) => expect((await write(orders))._unsafeUnwrap().replayed).toBe(true);
    // Its first statement, a write, finds no key yet that this process has used: it fails, each time.
    const replayed = await costsOf(times, replay, 'idempotency as k');
    expectLookups(replayed, {});
    expect(buffersOf(replayed)).toBeLessThan(6 * LOOKUP_BUFFERS);
  });
});

describe.each(TIMES)('a write function among a million change records, after %i executions', (times) => {
  it.each<[name: string, write: (server: Database) => unknown, changes: number]>([
    ['order_insert_', (server) => decidedOrders(server).insert(OWNER, anOrder()), 0],
    ['order_update_', (server) => decidedOrders(server).update(OWNER, LONG, withNote('x')), 0],
    ['order_delete_', (server) => decidedOrders(server).delete(OWNER, LONG), 0],
    ['customer_insert_', (server) => decidedCustomers(server).insert(OWNER, aCustomer()), 0],
    ['customer_update_', (server) => decidedCustomers(server).update(OWNER, CUSTOMER, withName('x')), 0],
    ['customer_delete_', (server) => decidedCustomers(server).delete(OWNER, CUSTOMER), 2 * CUSTOMER_VERSIONS],
  ])('%s finds its rows by their keys', async (name, write, changes) => {
    // The call is recorded, but does not reach PostgreSQL.
    const [call] = (
      await sent(database.url, async (server, proxy) => {
        proxy.fault(1, 'cut_before', ({ text }) => text.includes(name));
        await write(server);
      })
    ).filter(({ text }) => text.includes(name));
    if (!call) throw new Error('no function was called');
    const { read } = await costOfCall(database.url, call, times);
    const most: Readonly<Record<string, number>> = { changes, orders: 2, customers: 2, idempotency: 1 };
    const exceeding = Object.entries(read).filter(([table, rows]) => rows > (most[table] ?? 0));
    expect(exceeding).toEqual([]);
  });
});
