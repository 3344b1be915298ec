import { parseOrderQuery } from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { openDatabase, postgresEventFeed, postgresOrderRepository, postgresWebhookQueue } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { costOf, costOfCall } from './plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';

const database = testDatabase();

const LARGE = 'large';
const ENDPOINT = endpointId(1);
/** The first ten positions and references are those of 3,000 small owners too. */
const SMALL = `(select 'small ' || owner as owner, n from generate_series(1, 3000) as owner, generate_series(1, 10) as n)`;
const MANY = `(select '${LARGE}' as owner, n from generate_series(1, 100000) as n)`;

const insertRows = (rows: string) =>
  execute(
    database.url,
    `insert into orders (owner_id, id, status, reference, currency, total_amount, item_count, metadata, items, version,
       created_at, updated_at)
     select owner, gen_random_uuid(), 'pending', n::text, 'EUR', 1, 1, '{}', '[]', 1, now(), now() from ${rows} as r;
     insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot,
       snapshot_format, position)
     select owner, 'customer', gen_random_uuid(), 1, gen_random_uuid(), 'customer.deleted', '[]', '2026-01-01', null, 1, n
     from ${rows} as r`,
  );

const sent = async (work: (watched: ReturnType<typeof openDatabase>) => Promise<unknown>) => {
  const proxy = await startPostgresProxy(database.url);
  const watched = openDatabase({ url: proxy.url, poolMax: 1 });
  try {
    await work(watched);
  } finally {
    await watched.close();
    await proxy.close();
  }
  return proxy.statements.filter(({ text }) => !/^(begin|commit|rollback)$/.test(text));
};

const analyze = () => execute(database.url, 'vacuum analyze');

beforeAll(async () => {
  await execute(
    database.url,
    'alter table changes set (autovacuum_enabled = false); alter table orders set (autovacuum_enabled = false)',
  );
  await insertRows(SMALL);
  await insertEndpoint(database.url, LARGE, ENDPOINT, 100_000);
  await insertDeliveries(database.url, LARGE, ENDPOINT, [1, 100]);
  await execute(
    database.url,
    `update webhook_endpoints set include = '["resource"]'; insert into feeds values ('${LARGE}', 0)`,
  );
});

describe.each<[statistics: string, prepareRows: () => Promise<unknown>]>([
  ['of no row', () => insertRows(MANY)],
  [
    'from before the rows of the owner',
    async () => {
      await execute(
        database.url,
        `delete from changes where owner_id = '${LARGE}'; delete from orders where owner_id = '${LARGE}'`,
      );
      await analyze();
      await insertRows(MANY);
    },
  ],
  ['of all rows', analyze],
])('with statistics %s, a large owner beside 3,000 small ones', (_, prepareRows) => {
  beforeAll(prepareRows);

  it.each([0, 10])(
    'reads the low positions of a page and of a claim alone, executed %i times before',
    async (times) => {
      const query = parseFeedQuery({ limit: 100, include: ['resource'] })._unsafeUnwrap();
      const page = await sent(async (watched) => (await postgresEventFeed(watched).read(LARGE, query))._unsafeUnwrap());
      const claim = await sent(async (watched) => {
        expect((await postgresWebhookQueue(watched).claim(LARGE, 8))._unsafeUnwrap().length).toBeGreaterThan(0);
        await execute(
          database.url,
          'update webhook_queues set fresh_claimed_to = null, in_flight = null, full_until = null',
        );
        await execute(
          database.url,
          `update webhook_deliveries set leased_until = null, due_at = now() - interval '1 hour'`,
        );
      });
      const costs = [];
      for (const statement of [...page, ...claim].filter(({ text }) =>
        /from "orders"\.(changes|feeds)|events_/.test(text),
      )) {
        const { read, buffers } = await costOfCall(database.url, statement, times);
        // The first call of a function on a connection reads catalogs, too.
        costs.push({
          text: statement.text,
          changes: (read['changes'] ?? 0) <= 102,
          few: buffers <= (times === 0 ? 2000 : 600),
        });
      }
      expect(costs.map(({ text }) => text)).toHaveLength(4);
      for (const cost of costs) expect(cost).toMatchObject({ changes: true, few: true });
    },
  );
});

describe('with statistics of all rows, a large owner beside 3,000 small ones', () => {
  it.each([0, 10])('reads one order by a reference that all owners use, executed %i times before', async (times) => {
    const query = parseOrderQuery({ reference: '5' })._unsafeUnwrap();
    const [statement] = await sent(async (watched) => {
      const list = await postgresOrderRepository(watched).list(LARGE, query);
      expect(list._unsafeUnwrap().data).toHaveLength(1);
    });
    if (!statement) throw new Error('no statement was sent');
    const { read, scanned, buffers } = await costOf(database.url, statement, times);
    expect({ read, scanned }).toEqual({ read: { orders: 1 }, scanned: [] });
    expect(buffers).toBeLessThanOrEqual(16);
  });
});
