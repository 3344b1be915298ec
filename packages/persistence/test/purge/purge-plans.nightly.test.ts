import { purge } from '@orders/persistence';
import type { Statement } from '@orders/postgres-proxy';
import { expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { costOf } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();

/**
 * Fills the tables with 100,000 change records of fifty owners: two versions of each order, one per second, and a
 * deletion of every hundredth. Each has a key, which has not expired. Every tenth second, a deleted webhook endpoint has a
 * record without one.
 */
async function fill(): Promise<void> {
  const order = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const time = `timestamptz '2026-01-01' + n * interval '1 second'`;
  await execute(database.url, 'truncate changes, feeds, idempotency');
  await execute(
    database.url,
    `insert into changes select 'owner ' || n % 50, 'order', ${order}, version, gen_random_uuid(),
       case when version = 3 then 'order.deleted' else 'order.changed' end, '[]', ${time}, null,
       case when version < 3 then '{}'::json end, 1, null
     from generate_series(1, 50000) n, generate_series(1, 3) version where version < 3 or n % 100 = 0`,
  );
  await execute(
    database.url,
    `insert into changes select 'owner ' || n % 50, 'webhook_endpoint', ${order}, 1, null, null, '[]', ${time}, null, null, 1, null
     from generate_series(1, 50000, 10) n`,
  );
  await execute(
    database.url,
    `insert into idempotency select 'owner ' || n % 50, 'key ' || n, 'f', 'order', ${order}, 7, '2100-01-01'
     from generate_series(1, 50000) n`,
  );
  // So many that reading all of them is never cheaper.
  await execute(
    database.url,
    `insert into feeds (owner_id, purged) select 'owner ' || n, 0 from generate_series(0, 20000) n`,
  );
  await execute(database.url, 'vacuum analyze changes, feeds, idempotency');
}

it('a purge reads a thousand records at a time, each by an index', async () => {
  await fill();
  const { proxy, server } = await watchedServer(database.url, { poolMax: 1 });
  // The deletions of one half have left the feed. Those of the other half are erased in part.
  const eventsBefore = '2026-01-01T07:00:00.000Z';
  const until = '2026-01-01T03:00:00.000Z';
  const purged = await purge(server)({ now: '2026-02-01T00:00:00.000Z', eventsBefore, historyBefore: until });
  expect(purged.changes).toBeGreaterThan(10_000);
  expect(purged.snapshots).toBeGreaterThan(200);
  const statements = new Map<string, Statement>();
  for (const statement of proxy.statements) {
    if (/\b(from|update|join) "orders"\.changes\b/.test(statement.text) && !statements.has(statement.text))
      statements.set(statement.text, statement);
  }
  // Without that of the function that gives positions, which a test of its own covers.
  expect(statements.size).toBe(10);
  await fill();
  for (const [text, statement] of statements) {
    for (const times of [1, 10]) {
      const { read, scanned } = await costOf(database.url, statement, times);
      // Each record is read once to be found and once to be changed, and its key and deletion are looked up.
      expect({
        text,
        scanned,
        isBounded: (read['changes'] ?? 0) <= 6000 && (read['idempotency'] ?? 0) <= 1000,
      }).toEqual({
        text,
        scanned: [],
        isBounded: true,
      });
    }
  }
});

it('a purge of earlier versions reads those of a batch alone, however many an order has', async () => {
  const versions = 20_000;
  const fillVersions = () =>
    execute(
      database.url,
      `truncate changes, feeds, idempotency;
       insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot,
         snapshot_format, position)
       select 'owner', 'order', '00000000-0000-7000-8000-000000000001', n, gen_random_uuid(), 'order.changed', '[]',
         timestamptz '2026-01-01' + n * interval '1 second', '{}', 1, n from generate_series(1, ${versions}) n;
       insert into feeds (owner_id, purged) values ('owner', ${versions});
       analyze changes, feeds, idempotency`,
    );
  await fillVersions();
  const { proxy, server } = await watchedServer(database.url, { poolMax: 1 });
  const until = '2026-01-31T00:00:00.000Z';
  const purged = await purge(server)({ now: '2026-02-01T00:00:00.000Z', eventsBefore: until, historyBefore: until });
  expect(purged.changes).toBe(versions - 1);
  const statement = proxy.statements.find(({ text }) => text.includes('delete from "orders".changes'));
  if (!statement) throw new Error('no statement deletes earlier versions');
  await fillVersions();
  for (const times of [1, 10]) {
    const { read, scanned } = await costOf(database.url, statement, times);
    expect(scanned).not.toContain('changes');
    expect(read['changes']).toBeLessThanOrEqual(3000);
  }
});
