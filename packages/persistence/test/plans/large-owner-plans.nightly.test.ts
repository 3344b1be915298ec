import {
  type CustomerQueryInput,
  type CustomerRepository,
  type OrderQueryInput,
  type OrderRepository,
  parseCustomerQuery,
  parseOrderQuery,
  SORTS,
} from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { anOrder } from '@orders/domain/testing';
import {
  type Database,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  postgresWebhookQueue,
  purge,
} from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';
import { WEBHOOK_FUNCTIONS } from '../../src/webhooks/queue-functions.ts';
import { execute } from '../fixtures/execute.ts';
import { costOf, costOfCall } from './plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { sent } from '../fixtures/watched-server.ts';

/** The rows of the large owner in each table, and those of the owner that the statistics know. */
const LARGE = 'large';
const MANY = 20_000;
const FIRST = 'first';
const FEW = 5;
/** The orders of the large owner when the statistics know all rows. */
const MILLION = 1_000_000;
const CUSTOMER = '00000000-0000-0000-0000-000000000001';
const ENDPOINT = endpointId(1);

/** Rows of a page, and of the offset before it. */
const LIMIT = 20;
const OFFSET = 1000;

/** Pages for one row: the levels of an index, and the table. */
const LOOKUP_BUFFERS = 4;

/** The first call of a function on a connection reads pages of catalogs. */
const CATALOG_BUFFERS = 1500;

const database = testDatabase();

const idOf = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
const atOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
const id = `lpad(n::text, 32, '0')::uuid`;
const at = `timestamptz '2026-01-01' + n * interval '1 second'`;

/** Returns the statement that inserts orders of an owner in two statuses, a tenth of which are of its first customer. */
function insertOrders(owner: string, from: number, to: number): string {
  return `insert into orders (owner_id, id, status, customer_id, reference, currency, total_amount, element_count, metadata,
       items, version, created_at, updated_at)
     select '${owner}', ${id}, case when n % 3 = 0 then 'paid' else 'pending' end,
       case when n % 10 = 0 then '${CUSTOMER}'::uuid end, 'ref ' || n, 'EUR', 1, 1, '{}', '[]', 1, ${at}, ${at}
     from generate_series(${from}, ${to}) as n`;
}

/** Inserts orders of an owner, customers, and events with resources. */
async function insertRows(owner: string, count: number): Promise<void> {
  const snapshot = JSON.stringify(toOrderSnapshot(anOrder(), null));
  await execute(
    database.url,
    `insert into customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
     select '${owner}', ${id}, 'c' || n, 'c' || n, '{}', 1, ${at}, ${at} from generate_series(1, ${count}) as n;
     ${insertOrders(owner, 1, count)};
     insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot,
       snapshot_format, position)
     select '${owner}', 'order', ${id}, 1, ${id}, 'order.placed', '[]', ${at}, '${snapshot}', 1, n
     from generate_series(1, ${count}) as n;
     insert into feeds (owner_id, purged) values ('${owner}', 0)`,
  );
}

beforeAll(async () => {
  const tables = ['orders', 'customers', 'changes', 'feeds', 'webhook_deliveries'];
  await execute(
    database.url,
    tables.map((table) => `alter table ${table} set (autovacuum_enabled = false)`).join('; '),
  );
  await insertRows(FIRST, FEW);
  await insertEndpoint(database.url, FIRST, ENDPOINT, FEW);
  await insertDeliveries(database.url, FIRST, ENDPOINT, [1, FEW]);
  await execute(database.url, 'vacuum analyze');
  await insertRows(LARGE, MANY);
  await insertEndpoint(database.url, LARGE, ENDPOINT, MANY);
  await insertDeliveries(database.url, LARGE, ENDPOINT, [1, 100]);
  await execute(database.url, `update webhook_endpoints set include = '["resource"]' where owner_id = '${LARGE}'`);
});

/** Claims deliveries of the large owner, which were released before. */
async function claim(server: Database): Promise<void> {
  await execute(
    database.url,
    `update webhook_queues set fresh_claimed_to = null, in_flight = null, full_until = null where owner_id = '${LARGE}';
     update webhook_deliveries set leased_until = null, due_at = now() - interval '1 hour' where owner_id = '${LARGE}' and position <= 100`,
  );
  expect((await postgresWebhookQueue(server).claim(LARGE, 8))._unsafeUnwrap()).toHaveLength(8);
}

const AFTER = { value: atOf(3600), id: idOf(3600) };

/** A list of the large owner, and how many rows it may read beside those that its offset skips. */
interface PlannedList {
  readonly of: string;
  readonly query: OrderQueryInput;
  readonly list: (server: Database) => ReturnType<CustomerRepository['list'] | OrderRepository['list']>;
  readonly found: number;
  readonly most: number;
}

const orders = (of: string, input: OrderQueryInput, found = LIMIT, most = 2 * (LIMIT + 2)): PlannedList => {
  const list = (server: Database) =>
    postgresOrderRepository(server).list(LARGE, parseOrderQuery(input)._unsafeUnwrap());
  return { of: `orders ${of}`, query: input, list, found, most };
};
const customers = (of: string, query: CustomerQueryInput, found = LIMIT, most = 2 * (LIMIT + 2)): PlannedList => {
  const list = (server: Database) =>
    postgresCustomerRepository(server).list(LARGE, parseCustomerQuery(query)._unsafeUnwrap());
  return { of: `customers ${of}`, query, list, found, most };
};

const LISTS = SORTS.flatMap((sort) =>
  [{ offset: OFFSET }, { after: AFTER }, {}].flatMap((place) => [
    customers('', { sort, ...place }),
    orders('', { sort, ...place }),
    orders('that are paid', { status: ['paid'], sort, ...place }),
    orders('in two statuses', { status: ['paid', 'pending'], sort, ...place }),
  ]),
);

/** Returns filtered lists of an owner with `count` orders, whose pages are in the middle of all. */
function filteredLists(count: number): readonly PlannedList[] {
  const [from, before] = [count * 0.4, count * 0.6];
  const references = { reference_prefix: 'ref 5' };
  const ids = Array.from({ length: 100 }, (_, index) => idOf(1 + index * Math.floor(count / 100)));
  const nextReference = { value: `ref ${count * 0.55}`, id: idOf(count * 0.55) };
  return [
    ...SORTS.flatMap((sort) => {
      const [of, other] = sort.endsWith('created_at')
        ? (['created_at', 'updated_at'] as const)
        : (['updated_at', 'created_at'] as const);
      const range = { [`${of}_from`]: atOf(from), [`${of}_before`]: atOf(before) };
      const ofCustomers = { [`${of}_from`]: atOf(MANY * 0.4), [`${of}_before`]: atOf(MANY * 0.6) };
      const middle = { value: atOf(count / 2), id: idOf(count / 2) };
      const scanned = { [`${other}_from`]: atOf(2 * MILLION) };
      const some = { [`${other}_before`]: atOf(2 * MILLION) };
      return [
        ...[{ offset: OFFSET }, { after: middle }, {}].flatMap((place) => [
          customers('in a range', {
            ...ofCustomers,
            sort,
            ...place,
            ...('after' in place && { after: { value: atOf(MANY / 2), id: idOf(MANY / 2) } }),
          }),
          orders('in a range', { ...range, sort, ...place }),
          orders('in a range that are paid', { ...range, status: ['paid'], sort, ...place }),
          orders('in a range in two statuses', { ...range, status: ['paid', 'pending'], sort, ...place }),
          orders('in a range of a customer', {
            ...range,
            customer_id: CUSTOMER,
            sort,
            ...place,
            ...('offset' in place && { offset: 100 }),
          }),
        ]),
        ...[{ after: middle }, {}].flatMap((place) => [
          orders('with another range', { ...some, sort, ...place }),
          orders('with another range in two statuses', { ...some, status: ['paid', 'pending'], sort, ...place }),
          orders('in both ranges', { ...some, ...range, sort, ...place }),
        ]),
        orders('of which none is in another range', { ...scanned, sort }, 0, 20_001),
        orders(
          'of which none is in another range in two statuses',
          { ...scanned, status: ['paid', 'pending'], sort },
          0,
          20_003,
        ),
      ];
    }),
    ...[{ offset: OFFSET }, { after: nextReference }, {}].map((place) =>
      orders('by the first of references', { ...references, ...place }),
    ),
    orders('by the first of references with another range', { ...references, updated_at_before: atOf(2 * MILLION) }),
    orders(
      'by the first of references of which none is in another range',
      { ...references, updated_at_from: atOf(2 * MILLION) },
      0,
      20_001,
    ),
    orders('by ids', { ids, limit: 100 }, 100, 100),
    orders('by ids in a range', { ids, updated_at_before: atOf(from), created_at_from: atOf(1) }, LIMIT, 200),
    customers('by ids', { ids: ids.map((_, n) => idOf(n + 1)), limit: 100 }, 100, 100),
  ];
}

async function expectPageReads(
  { list, found, most, query: { offset = 0 } }: PlannedList,
  times: number,
): Promise<void> {
  const [statement, ...others] = await sent(database.url, async (server) => {
    expect((await list(server))._unsafeUnwrap().data).toHaveLength(found);
  });
  if (!statement || others.length > 0) throw new Error('a list is one statement');
  const { read, scanned, buffers } = await costOf(database.url, statement, times);
  expect(scanned).toEqual([]);
  const [rows] = Object.values(read);
  expect(rows).toBeLessThanOrEqual(offset + most);
  expect(buffers).toBeLessThanOrEqual(offset + LOOKUP_BUFFERS * (most + 5));
}

describe.each([0, 10])('with statistics of a few rows of another owner, executed %i times before', (times) => {
  it.each([...LISTS, ...filteredLists(MANY)])(
    '$of: a page reads its rows and those before it: $query',
    async (page) => {
      expect.hasAssertions();
      await expectPageReads(page, times);
    },
  );

  it('the resources of a page and of a claim are looked up alone', async () => {
    expect.hasAssertions();
    await expectFewReads(times);
  });
});

/** Expects that a page of the first events, and a claim of their deliveries, read these alone. */
async function expectFewReads(times: number): Promise<void> {
  const feed = parseFeedQuery({ limit: 100, include: ['resource'] })._unsafeUnwrap();
  const statements = await sent(database.url, async (server) => {
    expect((await postgresEventFeed(server).read(LARGE, feed))._unsafeUnwrap().data).toHaveLength(100);
    await claim(server);
  });
  const reading = statements.filter(({ text }) => /\bitems\b|snapshot|unnest|events_|from "orders".feeds/.test(text));
  expect(reading.length).toBeGreaterThanOrEqual(3);
  for (const statement of reading) {
    const { read, buffers } = await costOfCall(database.url, statement, times);
    expect(read['changes'] ?? 0).toBeLessThanOrEqual(102);
    expect(read['orders'] ?? 0).toBeLessThanOrEqual(100);
    expect(buffers).toBeLessThanOrEqual(100 * 2 * LOOKUP_BUFFERS + (times === 0 ? CATALOG_BUFFERS : 0));
  }
}

describe('with statistics of all rows, among 3,000 small owners', () => {
  beforeAll(async () => {
    await execute(
      database.url,
      `insert into feeds (owner_id, purged) select 'small ' || n, 0 from generate_series(1, 3000) as n;
       insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format,
         position)
       select 'small ' || owner, 'customer', gen_random_uuid(), 1, gen_random_uuid(), 'customer.deleted', '[]', '2026-01-01', 1, n
       from generate_series(1, 3000) as owner, generate_series(1, 10) as n`,
    );
    await execute(database.url, insertOrders(LARGE, MANY + 1, MILLION));
    // The references and positions that all small owners have are those of the first rows of the large one, too.
    await execute(
      database.url,
      `insert into orders (owner_id, id, status, reference, currency, total_amount, element_count, metadata, items, version,
         created_at, updated_at)
       select 'small ' || owner, gen_random_uuid(), 'pending', 'ref ' || n, 'EUR', 1, 1, '{}', '[]', 1, now(), now()
       from generate_series(1, 3000) as owner, generate_series(1, 10) as n;
       insert into webhook_deliveries
       select 'small ' || owner, lpad(owner::text, 32, '0')::uuid, n, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), 1, 'delivered',
         1, false, false, null, null, 1, null, null, null, null
       from generate_series(1, 3000) as owner, generate_series(1, 10) as n`,
    );
    const settled = { status: `case when n % 2 = 0 then 'failed' else 'delivered' end`, dueAt: 'null', fresh: 'false' };
    await insertDeliveries(database.url, LARGE, ENDPOINT, [101, 3 * MANY], settled);
    await execute(database.url, 'vacuum analyze');
  });

  it('the events of a claim and their resources are planned once', async () => {
    await sent(database.url, async (server) => {
      for (let count = 0; count < 10; count += 1) await claim(server);
      const plans = await (
        await server.orm.load()
      ).mikroOrm.em
        .fork()
        .execute<{ kept: number }[]>(
          `select generic_plans::int as kept from pg_prepared_statements where statement ~ '\\$2' and statement ~ 'unnest|events_'`,
        );
      expect(plans.length).toBeGreaterThan(0);
      for (const { kept } of plans) expect(kept).toBeGreaterThan(0);
    });
  });

  it.each([0, 10])('a page and a claim read the low positions alone, executed %i times before', expectFewReads);

  describe.each([0, 10])('executed %i times before', (times) => {
    it.each(filteredLists(MILLION))('$of: a page reads its rows and those before it: $query', async (page) => {
      expect.hasAssertions();
      await expectPageReads(page, times);
    });
  });

  it.each([0, 10])('a reference that all owners use finds one order, executed %i times before', async (times) => {
    const query = parseOrderQuery({ reference: 'ref 5' })._unsafeUnwrap();
    const [statement] = await sent(database.url, async (server) => {
      expect((await postgresOrderRepository(server).list(LARGE, query))._unsafeUnwrap().data).toHaveLength(1);
    });
    if (!statement) throw new Error('no statement was sent');
    const { read, scanned, buffers } = await costOf(database.url, statement, times);
    expect({ read, scanned }).toEqual({ read: { orders: 1 }, scanned: [] });
    expect(buffers).toBeLessThanOrEqual(16);
  });

  it.each([0, 10])('a purge reads the first event of each feed alone, executed %i times before', async (times) => {
    const until = '2025-01-01T00:00:00.000Z';
    const ages = { now: '2026-02-01T00:00:00.000Z', eventsBefore: until };
    const statements = await sent(database.url, (server) => purge(server)(ages));
    const [statement] = statements.filter(({ text }) => text.includes('from "orders".feeds as f'));
    if (!statement) throw new Error('no statement looks for feeds whose events leave');
    const { read, scanned } = await costOf(database.url, statement, times);
    expect(scanned).toEqual([]);
    expect(read['changes']).toBeLessThanOrEqual(1000);
  });

  const calls = [
    ['a purge of deliveries reads', 'purge', `update feeds set purged = 5 where owner_id = '${LARGE}'`],
    ['a fan-out after a change of the endpoint requeues', 'fanOut', 'update webhook_queues set requeue_after = 59990'],
  ] as const;
  it.each(calls)('%s those deliveries alone', async (_, called, change) => {
    await execute(database.url, change);
    const text = `select ${WEBHOOK_FUNCTIONS[called].name}($1, $2)`;
    for (const times of [0, 10]) {
      const { buffers } = await costOfCall(database.url, { text, parameters: [LARGE, ENDPOINT] }, times);
      // A few deliveries change, each in five indexes. To look for them among all reads thousands of pages.
      expect(buffers).toBeLessThanOrEqual(600 + (times === 0 ? CATALOG_BUFFERS : 0));
    }
  });
});
