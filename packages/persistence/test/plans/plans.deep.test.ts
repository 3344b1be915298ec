import {
  ORDER_STATUSES,
  type OrderQuery,
  type Page,
  PAGE_LIMIT_MAX,
  type PageQuery,
  SCANNED_ELEMENTS_MAX,
  SORTS,
  type Unavailable,
} from '@orders/domain';
import {
  type Database,
  openDatabase,
  postgresApiKeys,
  postgresCustomerRepository,
  postgresOrderRepository,
} from '@orders/persistence';
import * as persistence from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { type ResultAsync } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { CUSTOMER, fillWithOrders, ORDERS_PER_OWNER, OWNER } from './many-orders.ts';
import { CHANGED_PLANNER_SETTINGS, type Cost, costOf } from './plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { sent } from '../fixtures/watched-server.ts';

/** Rows of a page. */
const LIMIT = 20;

/** Maximum number of pages of the primary key and the table for one row. */
const LOOKUP_BUFFERS = 4;
/** The number of earlier executions on the connection, enough for PostgreSQL to consider a generic plan. */
const TIMES = [1, 10] as const;

const database = testDatabase();

let proxy: PostgresProxy;
/** A server for all tests: to open one for each takes longer than its statement. */
let server: Database;

beforeAll(async () => {
  await fillWithOrders(database.url);
  proxy = await startPostgresProxy(database.url);
  server = openDatabase({ url: proxy.url, poolMax: 1 });
});

afterAll(async () => {
  await server.close();
  await proxy.close();
});

/** Returns the statements that `work` sends. */
async function sentBy(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  proxy.clear();
  await work();
  return proxy.statements;
}

type ListQuery = Partial<OrderQuery>;

/** The members of an order query that other lists lack. The compiler requires a plan test for each. */
const NO_FILTER: Pick<OrderQuery, Exclude<keyof OrderQuery, keyof PageQuery>> = {
  status: null,
  customer_id: null,
  reference: null,
  reference_prefix: null,
  lookup: null,
  ids: null,
  created_at_from: null,
  created_at_before: null,
  updated_at_from: null,
  updated_at_before: null,
};

const PAGE: PageQuery = { sort: '-created_at', limit: LIMIT, offset: 0, after: null };

/** The lists of one repository: the function that reads a page, the filters to test, and the largest offset. */
interface PlannedList {
  readonly table: string;
  readonly list: (
    server: Database,
    query: ListQuery,
  ) => ResultAsync<Page<{ readonly id: string }, string>, Unavailable>;
  readonly filters: readonly (readonly [name: string, filter: ListQuery])[];
  readonly offset: number;
}

const FILTERS: readonly (readonly [name: string, filter: ListQuery])[] = [
  ['every order', {}],
  ['one status', { status: ['paid'] }],
  ['two statuses', { status: ['pending', 'shipped'] }],
  ['all statuses', { status: ORDER_STATUSES }],
  ['a customer', { customer_id: CUSTOMER }],
];

/** The lists of every repository of the package, by its constructor. A test fails when one is missing. */
const LISTS: Readonly<Record<string, PlannedList>> = {
  postgresOrderRepository: {
    table: 'orders',
    list: (server, query) => postgresOrderRepository(server).list(OWNER, { ...PAGE, ...NO_FILTER, ...query }),
    filters: FILTERS,
    offset: 900,
  },
  postgresCustomerRepository: {
    table: 'customers',
    list: (server, query) => postgresCustomerRepository(server).list(OWNER, { ...PAGE, ...NO_FILTER, ...query }),
    filters: [['every customer', {}]],
    offset: 1900,
  },
};

/** Returns the id of an order of the owner, whose numbers end with 3. */
const orderId = (n: number) => `00000000-0000-7000-8000-001${String(n).padStart(9, '0')}`;

/** The costs of a list, and the number of its rows. */
async function list(of: PlannedList, query: ListQuery, times: number): Promise<Cost & { readonly found: number }> {
  let found = 0;
  const [statement, ...more] = await sentBy(async () => {
    found = (await of.list(server, query))._unsafeUnwrap().data.length;
  });
  if (!statement || more.length > 0) throw new Error('a list is one statement');
  return { ...(await costOf(database.url, statement, times)), found };
}

function conditions({ status, customer_id }: ListQuery): string {
  return `owner_id = '${OWNER}' ${status ? `and status collate "C" in ('${status.join("', '")}')` : ''}
    ${customer_id ? `and customer_id = '${customer_id}'` : ''}`;
}

/** Returns the position one page before the end of a list. */
async function lastPage(table: string, query: ListQuery & PageQuery): Promise<NonNullable<PageQuery['after']>> {
  const descending = query.sort.startsWith('-') ? '' : 'desc';
  const column = query.sort.replace('-', '');
  const [row] = await execute<{ value: string; id: string }>(
    database.url,
    `select to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as value, id from ${table}
     where ${conditions(query)} order by ${column} ${descending}, id ${descending} limit 1 offset ${LIMIT}`,
  );
  if (!row) throw new Error('the list is shorter than a page');
  return row;
}

/** Returns the number of table and index pages for a hand-written query of a page of ids. */
async function buffersByHand(table: string, query: ListQuery & PageQuery, times: number): Promise<number> {
  const direction = query.sort.startsWith('-') ? 'desc' : '';
  const column = query.sort.replace('-', '');
  const text = `select id from ${table} where ${conditions(query)}
    order by ${column} ${direction}, id ${direction} limit ${LIMIT + 1} offset ${query.offset}`;
  return (await costOf(database.url, { text, parameters: [] }, times)).buffers;
}

it('the planner has the default settings of PostgreSQL', async () => {
  expect(await execute(database.url, CHANGED_PLANNER_SETTINGS)).toEqual([]);
});

describe('the tested lists', () => {
  it('are those of every repository of the package', () => {
    const repositories = Object.entries(persistence).filter(
      ([name, value]) => /^postgres\w+Repository$/.test(name) && typeof value === 'function',
    );
    expect(repositories.map(([name]) => name).toSorted()).toEqual(Object.keys(LISTS).toSorted());
  });
});

const CASES = Object.values(LISTS).flatMap((of) =>
  of.filters.flatMap(([name, filter]) => SORTS.map((sort) => ({ name, sort, filter, of }))),
);

describe.each(TIMES)('pages, after %i executions', (times) => {
  it.each(CASES)('$name by $sort: costs are the same at the beginning and at the end', async ({ of, sort, filter }) => {
    const query = { ...PAGE, ...filter, sort };
    const first = await list(of, query, times);
    const last = await list(of, { ...query, after: await lastPage(of.table, query) }, times);
    const most = LIMIT + 1 + Math.max(0, (filter.status?.length ?? 1) - 1);
    for (const cost of [first, last]) {
      expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
      expect(cost.read[of.table]).toBeLessThanOrEqual(most);
      expect(cost.sorted).toBeLessThanOrEqual(most);
    }
    expect(last.buffers).toBeLessThanOrEqual(first.buffers + 4);
  });

  it.each(CASES)('$name by $sort: only the index of skipped rows is read at a large offset', async (page) => {
    const { of, sort, filter } = page;
    const query = { ...PAGE, ...filter, sort };
    const first = await list(of, query, times);
    const far = { ...query, offset: of.offset };
    const cost = await list(of, far, times);
    const most = LIMIT + 1 + Math.max(0, (filter.status?.length ?? 1) - 1);
    expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
    expect(cost.read[of.table]).toBeLessThanOrEqual(of.offset + most + LIMIT + 1);
    expect(cost.sorted).toBeLessThanOrEqual(most);
    const byHand = await buffersByHand(of.table, far, times);
    expect(cost.buffers).toBeLessThanOrEqual(first.buffers + 2 * byHand + LOOKUP_BUFFERS * (LIMIT + 1));
  });

  const orders = LISTS['postgresOrderRepository'];
  if (!orders) throw new Error('orders have no lists');

  it('list a customer in some statuses without reads of other customers', async () => {
    const cost = await list(orders, { customer_id: CUSTOMER, status: ['delivered', 'cancelled'] }, times);
    expect(cost.scanned).toEqual([]);
    expect(cost.read['orders']).toBeLessThanOrEqual(ORDERS_PER_OWNER / 10);
  });

  // Most orders of the owner were created then, and a seventh of them changed.
  const range = (of: 'created_at' | 'updated_at') => ({
    [`${of}_from`]: '2026-01-01T00:00:00.100Z',
    [`${of}_before`]: '2026-01-01T00:00:02.400Z',
  });
  const places = [{}, { offset: 50 }, { after: { value: '2026-01-01T00:00:01.250Z', id: CUSTOMER } }];
  // Each filter with each place, by one sort or another.
  const ranges = SORTS.flatMap((sort, row) => {
    const sorted = range(sort.endsWith('created_at') ? 'created_at' : 'updated_at');
    return FILTERS.map(([name, filter], column) => {
      const place = places[(row + column) % places.length];
      return { name, query: { ...filter, ...sorted, sort, ...place } };
    });
  });
  it.each(ranges)('list $name in a range of the sorted time as without it: $query', async ({ query }) => {
    const cost = await list(orders, query, times);
    const skipped = 'offset' in query ? query.offset + LIMIT : 0;
    const most = LIMIT + 1 + ORDER_STATUSES.length;
    expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
    // A range with little more rows than the largest page may be read as a whole.
    expect(cost.read['orders']).toBeLessThanOrEqual(skipped + 2 * PAGE_LIMIT_MAX);
    expect(cost.buffers).toBeLessThanOrEqual(skipped + LOOKUP_BUFFERS * 2 * most);
  });

  it.each(SORTS)('look at the orders before those in a range of the other time alone, by %s', async (sort) => {
    const other = range(sort.endsWith('created_at') ? 'updated_at' : 'created_at');
    const cost = await list(orders, { sort, ...other }, times);
    expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
    expect(cost.read['orders']).toBeLessThan(ORDERS_PER_OWNER / 5);
  });

  const ofPrefix = [{}, { offset: 100 }, { after: { value: 'ref 5555', id: CUSTOMER } }];
  it.each(ofPrefix)('find the first of references by their index: %j', async (place) => {
    const query = { sort: 'reference', reference_prefix: 'ref 5', ...place } as const;
    const cost = await list(orders, query, times);
    const skipped = 'offset' in place ? place.offset + LIMIT : 0;
    expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
    expect(cost.sorted).toBeLessThanOrEqual(LIMIT + 1);
    expect(cost.read['orders']).toBeLessThanOrEqual(skipped + LIMIT + 2);
  });

  const byLookup = [{}, { after: { value: '2026-01-01T00:00:00.005Z', id: CUSTOMER } }, range('created_at')];
  it.each(byLookup)(
    'find the orders of a lookup that all have by reads of a page alone, at any depth: %j',
    async (place) => {
      const cost = await list(orders, { lookup: ['external.shop', 'web'], ...place }, times);
      expect(cost).toMatchObject({ scanned: [] });
      // The row behind the page is read, too.
      expect(cost.read['order_lookups']).toBeLessThanOrEqual(PAGE_LIMIT_MAX + 1);
      expect(cost.read['orders']).toBeLessThanOrEqual(LIMIT + 1);
      expect(cost.buffers).toBeLessThanOrEqual(LOOKUP_BUFFERS * 2 * (LIMIT + 1));
    },
  );

  it('find the order of a lookup that one has by one read, and look at 10,000 beside another filter', async () => {
    const one = await list(orders, { lookup: ['external.shop', 'ref 77'] }, times);
    expect(one).toMatchObject({ read: { order_lookups: 1, orders: 1 }, found: 1, scanned: [] });
    const cost = await list(orders, { lookup: ['external.shop', 'web'], status: ['paid'] }, times);
    expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
    expect(cost.read['orders']).toBeLessThanOrEqual(SCANNED_ELEMENTS_MAX);
  });

  it('find a hundred ids by as many reads, with other filters too', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => orderId(n * 100 + 13));
    for (const filter of [{}, { status: ORDER_STATUSES, updated_at_from: '2026-01-01T00:00:00.000Z' }]) {
      const cost = await list(orders, { ids, ...filter }, times);
      expect(cost).toMatchObject({ found: LIMIT, scanned: [] });
      expect(cost.read['orders']).toBeLessThanOrEqual(ids.length + LIMIT + 1);
    }
  });

  it.each([0, 1])('find a reference behind %i orders with one read', async (offset) => {
    const cost = await list(orders, { reference: 'ref 77', offset }, times);
    expect(cost).toMatchObject({ read: { orders: 1 }, found: 1 - offset, scanned: [] });
  });
});

describe('a first page, or one behind a cursor,', () => {
  const cursor = { value: '2026-01-01T00:00:00.500Z', id: CUSTOMER };

  // With many statuses PostgreSQL estimates a custom plan to be cheaper each time.
  const few = FILTERS.filter(([, { status }]) => (status?.length ?? 0) < 3);

  it.each(few)('%s: has one generic plan for all executions', async (_, filter) => {
    for (const after of [null, cursor]) {
      const query = { ...PAGE, ...NO_FILTER, ...filter, after };
      await sent(database.url, async (server, proxy) => {
        const orders = postgresOrderRepository(server);
        for (let count = 0; count < 11; count += 1) await orders.list(OWNER, query);
        const [plans] = await (
          await server.orm.load()
        ).mikroOrm.em
          .fork()
          .execute<{ kept: number }[]>('select generic_plans::int as kept from pg_prepared_statements where name = ?', [
            proxy.statements[0]?.name,
          ]);
        expect(plans?.kept).toBeGreaterThan(0);
      });
    }
  });
});

// The statements of write functions, and those that look a key up, are those of change-plans.deep.test.ts.
describe.each(TIMES)('a statement on one order, customer or key, after %i executions', (times) => {
  const id = orderId(13);

  it.each<[what: string, work: () => unknown]>([
    ['a read', () => postgresOrderRepository(server).load(OWNER, id)],
    ['a search for a customer', () => postgresCustomerRepository(server).findByEmail(OWNER, 'c3@example.com')],
    ['a read of a customer', () => postgresCustomerRepository(server).load(OWNER, CUSTOMER)],
    ['an API key', () => postgresApiKeys(server).find('hash')],
  ])('%s: finds its rows by their keys', async (_, work) => {
    const statements = await sentBy(async () => void (await work()));
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      const cost = await costOf(database.url, statement, times);
      expect(cost).toMatchObject({ sorted: 0, scanned: [] });
      expect(cost.read['orders'] ?? 0).toBeLessThanOrEqual(1);
    }
  });
});
