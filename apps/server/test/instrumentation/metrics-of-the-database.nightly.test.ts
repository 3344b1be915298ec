import { describe, expect, it, vi } from 'vitest';
import { clockAhead } from '../programs/clock-ahead.ts';
import type { RunningServer } from '../programs/running-server.ts';
import { scrape } from './scraped-metrics.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const METRICS = { METRICS_PORT: '0' };
const NO_ORDER = '00000000-0000-7000-8000-000000000000';

describe('the metrics of a server', () => {
  it('count the lists that the primary served in place of a replica', async () => {
    const database = await aDatabase();
    const fallbacks = async (server: RunningServer) => (await scrape(server)).value('orders_replica_fallbacks_total');
    const withReplica = await startServerOn(database, {
      ...METRICS,
      DATABASE_REPLICA_URLS: 'postgresql://nobody@127.0.0.1:1/orders',
    });
    expect(await fallbacks(withReplica)).toBe(0);
    for (const path of ['/v1/orders', '/v1/customers', `/v1/orders/${NO_ORDER}`]) await withReplica.request(path);
    expect(await fallbacks(withReplica)).toBe(2);
    expect(await fallbacks(withReplica)).toBe(2);
    const alone = await startServerOn(database, METRICS);
    await alone.request('/v1/orders');
    expect(await fallbacks(alone)).toBe(0);
  });

  it('contain the number of events without a position, and the age of the oldest', async () => {
    const database = await aDatabase();
    const insert = (owner: string, count: number, age: string) =>
      database.execute(
        `insert into orders.changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
         select '${owner}', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
           now() - interval '${age}', 1
         from generate_series(1, ${count})`,
      );
    await insert('a', 3, '1 hour');
    await insert('b', 4, '1 minute');
    const server = await startServerOn(database, METRICS);
    await vi.waitFor(async () => {
      expect((await scrape(server)).value('orders_events_unnumbered')).toBe(7);
    });
    const age = (await scrape(server)).value('orders_events_unnumbered_oldest_age_seconds') ?? 0;
    expect(age).toBeGreaterThanOrEqual(3600);
    expect(age).toBeLessThan(3700);
  });

  it('count purged rows', async () => {
    const database = await aDatabase();
    await database.execute(`insert into orders.changes
      select 'o', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.deleted', '[]', now() - interval '90 days', null, null, 1, null
      from generate_series(1, 3)`);
    await database.execute(`insert into orders.idempotency
      select 'o', n::text, 'f', 'order', gen_random_uuid(), 1, now() - interval '1 hour' from generate_series(1, 2) as n`);
    // The endpoint was deleted.
    await database.execute(
      `insert into orders.webhook_queues values ('o', gen_random_uuid(), 0, 1, null, 0, null, null, 0)`,
    );
    await database.execute(`insert into orders.webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate,
        aggregate_id, version, status, attempts, fresh, redelivery, fence)
      select 'o', q.endpoint_id, n, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), 1, 'delivered', 1,
        false, false, 1 from orders.webhook_queues as q, generate_series(1, 4) as n`);
    const server = await startServerOn(database, METRICS);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_purged_rows_total', { kind: 'changes' })).toBe(3);
      expect(value('orders_purged_rows_total', { kind: 'idempotency_keys' })).toBe(2);
      expect(value('orders_purged_rows_total', { kind: 'deliveries' })).toBe(4);
      expect(server.output()).toMatch(/"keys":2,"deliveries":4,"changes":3,"snapshots":0,.*"msg":"purged"/);
    });
  });

  it('count the owners that a step over all owners has passed over', async () => {
    const database = await aDatabase();
    await database.execute(
      `insert into orders.idempotency select 'a', 'expired', 'f', 'order', gen_random_uuid(), 1, now() - interval '1 day'`,
    );
    const unlock = await database.lock('select from orders.idempotency for update');
    const server = await startServerOn(database, METRICS);
    await vi.waitFor(async () => {
      expect((await scrape(server)).value('orders_owners_passed_over_total', { step: 'purge' })).toBe(1);
    });
    await unlock();
    expect((await scrape(server)).value('orders_owners_passed_over_total', { step: 'number_events' })).toBe(0);
  });

  it('contain the number of due deliveries of all owners, and the age of the oldest, also where no worker runs', async () => {
    const database = await aDatabase();
    const SHOP = '019b0000-0000-7000-8000-000000000001';
    await database.execute(
      `insert into orders.webhook_endpoints
       select owner, '${SHOP}', 'https://receiver.example/', null, '[]', null, 'enabled', null, '[]', 0, 1, 1, now(), now()
       from unnest(array['a', 'b']) as owner;
       insert into orders.webhook_queues (owner_id, endpoint_id, revision, position, endpoint_version, failing, fresh_after)
       values ('a', '${SHOP}', 0, 9, 1, 0, null), ('b', '${SHOP}', 0, 9, 1, 1, now() + interval '1 hour');
       insert into orders.webhook_deliveries
       select owner, '${SHOP}', n, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), 1, 'pending', 0, true, false,
         now() - n * interval '1 hour', null, 0, null, null, null, null
       from (values ('a', 3), ('b', 2)) as of (owner, count), generate_series(1, count) as n`,
    );
    const keys = { WEBHOOKS: 'api', WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'due').toString('base64') };
    const server = await startServerOn(database, { ...METRICS, ...keys });
    for (const [waits_for, count] of [
      ['worker', 3],
      ['endpoint', 2],
    ] as const) {
      await vi.waitFor(async () => {
        expect((await scrape(server)).value('orders_webhook_deliveries_due', { waits_for })).toBe(count);
      });
      const { value } = await scrape(server);
      const age = value('orders_webhook_deliveries_due_oldest_age_seconds', { waits_for }) ?? 0;
      expect(age).toBeGreaterThanOrEqual(count * 3600);
      expect(age).toBeLessThan(count * 3600 + 100);
    }
  });

  it('contain the difference between the clocks of server and database', async () => {
    const server = await startServerOn(await aDatabase(), { ...METRICS, ...clockAhead(30_000) });
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_clock_difference_seconds')).toBeCloseTo(30, 0);
    });
  });
});
