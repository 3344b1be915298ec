import type { OrderQuery, OrderStatus } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import {
  openDatabase,
  postgresApiKeys,
  postgresCustomerRepository,
  postgresOrderRepository,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from './execute.ts';
import { CUSTOMER, fillWithOrders, ORDERS_PER_OWNER, OWNER } from './many-orders.ts';
import { CHANGED_PLANNER_SETTINGS, type Cost, costOf } from './plans.ts';
import { testDatabase } from './test-database.ts';

const LIMIT = 20;
/** How often a connection has executed a statement before: PostgreSQL then knows it well enough to keep a plan. */
const TIMES = [1, 10] as const;
const database = testDatabase();
let proxy: PostgresProxy;
let watched: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  await fillWithOrders(database.url);
  proxy = await startPostgresProxy(database.url);
  watched = openDatabase({ url: proxy.url, poolMax: 1 });
});

afterAll(async () => {
  await watched.close();
  await proxy.close();
});

/** The statements that `work` sends. */
async function sent(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  proxy.clear();
  await work();
  return [...proxy.statements];
}

const ALL: OrderQuery = {
  sort: '-created_at',
  limit: LIMIT,
  offset: 0,
  after: null,
  status: null,
  customer_id: null,
  reference: null,
};

/** A list's costs, and how many orders it found. */
async function list(query: Partial<OrderQuery>, times: number): Promise<Cost & { readonly found: number }> {
  let found = 0;
  const [statement, ...more] = await sent(async () => {
    const page = await postgresOrderRepository(watched).list(OWNER, { ...ALL, ...query });
    found = page._unsafeUnwrap().data.length;
  });
  if (!statement || more.length > 0) throw new Error('a list is one statement');
  return { ...(await costOf(database.url, statement, times)), found };
}

/** Where a list ends but for one page. */
async function lastPage({ sort, status, customer_id }: OrderQuery): Promise<NonNullable<OrderQuery['after']>> {
  const descending = sort.startsWith('-') ? '' : 'desc';
  const column = sort.replace('-', '');
  const [row] = await execute<{ value: string; id: string }>(
    database.url,
    `select to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as value, id from orders
     where owner_id = '${OWNER}' ${status ? `and status in ('${status.join("', '")}')` : ''}
     ${customer_id === null ? '' : `and customer_id = '${customer_id}'`}
     order by ${column} ${descending}, id ${descending} limit 1 offset ${LIMIT}`,
  );
  if (!row) throw new Error('the list is shorter than a page');
  return row;
}

describe('the planner', () => {
  it('stands as PostgreSQL is shipped', async () => {
    expect(await execute(database.url, CHANGED_PLANNER_SETTINGS)).toEqual([]);
    const planted = new URL(database.url);
    planted.searchParams.set('options', '-c enable_sort=off');
    expect(await execute(planted.href, CHANGED_PLANNER_SETTINGS)).toEqual([{ name: 'enable_sort' }]);
  });
});

const FILTERS: readonly (readonly [name: string, filter: Partial<OrderQuery>])[] = [
  ['every order', {}],
  ['one status', { status: ['paid'] }],
  ['two statuses', { status: ['pending', 'shipped'] }],
  ['all statuses', { status: ['pending', 'paid', 'shipped', 'delivered', 'cancelled'] as readonly OrderStatus[] }],
  ['a customer', { customer_id: CUSTOMER }],
];

describe.each(TIMES)('a page of orders, after %i times', (times) => {
  const cases = FILTERS.flatMap(([name, filter]) =>
    (['created_at', '-created_at', 'updated_at', '-updated_at'] as const).map((sort) => ({ name, sort, filter })),
  );

  it.each(cases)('of $name by $sort costs the same at the beginning and at the end', async ({ sort, filter }) => {
    const query = { ...ALL, ...filter, sort };
    const first = await list(query, times);
    const last = await list({ ...query, after: await lastPage(query) }, times);
    const most = LIMIT + 1 + Math.max(0, (query.status?.length ?? 1) - 1);
    for (const cost of [first, last]) {
      expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
      expect(cost.ordersRead).toBeLessThanOrEqual(most);
      expect(cost.sorted).toBeLessThanOrEqual(most);
    }
    expect(last.buffers).toBeLessThanOrEqual(first.buffers + 4);
  });

  it('far behind in offset form reads the orders that it skips, and the lines of none of them', async () => {
    const near = await list({ offset: 0 }, times);
    const far = await list({ offset: 2000 }, times);
    expect(far).toMatchObject({ found: LIMIT, scanned: [] });
    expect(far.ordersRead).toBe(2000 + LIMIT + 1);
    expect(far.sorted).toBeLessThanOrEqual(LIMIT + 1);
    expect(far.linesRead).toBe(near.linesRead);
  });

  it('of a customer in some statuses reads no order of another customer', async () => {
    const cost = await list({ customer_id: CUSTOMER, status: ['delivered', 'cancelled'] }, times);
    expect(cost.scanned).toEqual([]);
    expect(cost.ordersRead).toBeLessThanOrEqual(ORDERS_PER_OWNER / 10);
  });

  it('of a reference reads one order', async () => {
    expect(await list({ reference: 'ref 77' }, times)).toMatchObject({ ordersRead: 1, found: 1, scanned: [] });
  });
});

describe('a first page, or one behind a cursor,', () => {
  const cursor = { value: '2026-01-01T00:00:00.500Z', id: CUSTOMER };

  // Of many statuses PostgreSQL thinks it can do better each time.
  const few = FILTERS.filter(([, { status }]) => (status?.length ?? 0) < 3);

  it.each(few)('of %s is planned once and for all, not for each call', async (_, filter) => {
    const orders = postgresOrderRepository(watched);
    for (const after of [null, cursor]) {
      const query = { ...ALL, ...filter, after };
      const [statement] = await sent(async () => await orders.list(OWNER, query));
      for (let count = 0; count < 10; count += 1) await orders.list(OWNER, query);
      const [plans] = await watched.orm.em
        .fork()
        .execute<{ kept: number }[]>('select generic_plans::int as kept from pg_prepared_statements where name = ?', [
          statement?.name,
        ]);
      expect(plans?.kept).toBeGreaterThan(0);
    }
  });
});

describe.each(TIMES)('what is sent for one order, customer or key, after %i times', (times) => {
  const onceOf = (key: string) => ({
    key: `${key} ${times}`,
    fingerprint: 'f',
    now: '2026-01-01T00:00:00.000Z',
    expires_at: '2100-01-01T00:00:00.000Z',
  });
  const orders = () => postgresOrderRepository(watched);
  const customers = () => postgresCustomerRepository(watched);
  const id = (n: number) => `00000000-0000-7000-8000-001${String(n * 10 + 3).padStart(9, '0')}`;
  const place = async (key: string) => {
    const order = anOrder({ customer_id: CUSTOMER });
    return await orders().insert(OWNER, { order, event: anEventOf(OWNER, order) }, onceOf(key));
  };
  const customer = aCustomer({ email: `${times}@example.com` });

  it.each<[what: string, work: () => Promise<unknown>]>([
    ['a read', async () => await orders().find(OWNER, id(1))],
    ['a placing', async () => await place('placed')],
    ['a placing with a key that is taken', async () => await place('placed')],
    [
      'a change',
      async () =>
        await orders().update(
          OWNER,
          id(2),
          (before) => {
            const order = { ...before, note: `noted ${times}`, version: before.version + 1 };
            return ok({ order, event: anEventOf(OWNER, order) });
          },
          onceOf('changed'),
        ),
    ],
    [
      'a deletion',
      async () =>
        await orders().delete(OWNER, id(times + 2), (order) => ok(anEventOf(OWNER, order)), onceOf('deleted')),
    ],
    ['a read of a customer', async () => await customers().find(OWNER, CUSTOMER)],
    [
      'a new customer',
      async () =>
        await customers().insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }, onceOf('created')),
    ],
    [
      'the deletion of a customer',
      async () =>
        await customers().delete(OWNER, customer.id, (before) => ok(anEventOfCustomer(OWNER, before)), onceOf('gone')),
    ],
    ['an API key', async () => await postgresApiKeys(watched).find('hash')],
  ])('%s finds its rows by their keys', async (_, work) => {
    const statements = await sent(work);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const cost = await costOf(database.url, statement, times);
      expect(cost).toMatchObject({ sorted: 0, scanned: [] });
      expect(cost.ordersRead).toBeLessThanOrEqual(1);
    }
  });
});
