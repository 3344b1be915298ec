import { anEventOf, anOrder } from '@orders/domain/testing';
import { openDatabase, postgresOrderRepository, purge } from '@orders/persistence';
import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';

const database = testDatabase();

const NOW = '2026-03-01T00:00:00.000Z';
const ages = { now: NOW, eventsBefore: '2026-02-01T00:00:00.000Z' };

/** Inserts `count` idempotency records of `owner` that expire at `expires_at`. */
async function keys(owner: string, count: number, expires_at: string): Promise<void> {
  await execute(
    database.url,
    `insert into once select '${owner}', 'key ' || n, 'f', gen_random_uuid(), '{"format":1,"aggregate":null}',
       '2026-01-01T00:00:00Z', '${expires_at}' from generate_series(1, ${count}) as n`,
  );
}

/** Inserts `count` events of `owner`, one per minute up to `last`. */
async function events(owner: string, count: number, last: string): Promise<void> {
  await execute(
    database.url,
    `insert into outbox select '${owner}', gen_random_uuid(), 'order.placed', gen_random_uuid(), 1, '[]',
       timestamptz '${last}' - make_interval(mins => n) from generate_series(0, ${count} - 1) as n`,
  );
}

async function left(table: 'once' | 'outbox', owner: string): Promise<number> {
  const rows = await execute(database.url, `select 1 from ${table} where owner_id = '${owner}'`);
  return rows.length;
}

describe('a purge', () => {
  it('deletes the expired keys and old events, and no others', async () => {
    await keys('old', 3, NOW);
    await keys('young', 2, '2026-03-01T00:00:00.001Z');
    await events('old', 4, ages.eventsBefore);
    await events('young', 1, '2026-02-01T00:00:00.001Z');
    expect(await purge(database.current)(ages)).toEqual({ keys: 3, events: 4 });
    expect([await left('once', 'old'), await left('outbox', 'old')]).toEqual([0, 0]);
    expect([await left('once', 'young'), await left('outbox', 'young')]).toEqual([2, 1]);
    expect(await purge(database.current)(ages)).toEqual({ keys: 0, events: 0 });
  });

  it('deletes more rows than fit in a batch, of many ages and of one', async () => {
    await keys('many', 2500, '2026-02-02T00:00:00Z');
    await events('many', 2500, '2026-01-31T00:00:00Z');
    expect(await purge(database.current)(ages)).toEqual({ keys: 2500, events: 2500 });
    expect([await left('once', 'many'), await left('outbox', 'many')]).toEqual([0, 0]);
  });

  it('ends after the current batch when its signal is aborted', async () => {
    await keys('stopped', 1500, '2026-02-02T00:00:00Z');
    await execute(
      database.url,
      `update once set expires_at = expires_at + make_interval(secs => substr(key, 5)::int) where owner_id = 'stopped'`,
    );
    const stop = new AbortController();
    const release = await hold('stopped', 'key 1');
    const purging = purge(database.current)(ages, stop.signal);
    await someoneWaits();
    stop.abort();
    await release();
    expect(await purging).toEqual({ keys: 1000, events: 0 });
    expect(await purge(database.current)(ages, stop.signal)).toEqual({ keys: 0, events: 0 });
    expect((await purge(database.current)(ages)).keys).toBe(500);
  });

  it('runs on one of several servers, and the others do not wait', async () => {
    await keys('shared', 10, NOW);
    const another = openDatabase({ url: database.url });
    const release = await hold('shared', 'key 1');
    try {
      const first = purge(database.current)(ages);
      await someoneWaits();
      expect(await purge(another)(ages)).toEqual({ keys: 0, events: 0 });
      await release();
      expect((await first).keys).toBe(10);
    } finally {
      await another.close();
    }
  });

  it('does not block requests, not even retries with a key that is being deleted', async () => {
    await keys('busy', 10, NOW);
    const orders = postgresOrderRepository(database.current);
    const place = async (key: string) => {
      const order = anOrder();
      const once = { key, fingerprint: 'new', now: NOW, expires_at: '2026-03-02T00:00:00.000Z' };
      return (await orders.insert('busy', { order, event: anEventOf('busy', order) }, once))._unsafeUnwrap();
    };
    // The purge has deleted nine keys and waits for the last, whose row another session has locked.
    const release = await hold('busy', 'key 10');
    const purging = purge(database.current)(ages);
    await someoneWaits();
    expect((await place('another key')).replayed).toBe(false);
    const retry = place('key 1');
    await release();
    expect((await retry).replayed).toBe(false);
    expect((await purging).keys).toBe(10);
    expect((await place('key 1')).replayed).toBe(true);
  });
});

/** Locks the row of a key in another session until released. */
async function hold(owner: string, key: string): Promise<() => Promise<void>> {
  const session = new Client({ connectionString: database.url });
  await session.connect();
  await session.query('begin');
  await session.query('select 1 from once where owner_id = $1 and key = $2 for update', [owner, key]);
  return () => session.end();
}

async function someoneWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(await execute(database.url, waiting)).toHaveLength(1);
  }, 10_000);
}
