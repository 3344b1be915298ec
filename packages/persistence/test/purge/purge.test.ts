import { createDomain } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anOrder } from '@orders/domain/testing';
import { postgresStore, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { PURGE_LOCK } from '../../src/purge/locked-batch.ts';
import { lockKeys } from '../../src/tables/schema.ts';
import { ITEMS } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { holding } from '../fixtures/sessions.ts';

const database = testDatabase();

const NOW = '2026-03-01T00:00:00.000Z';
const ages = { now: NOW, eventsBefore: '2026-02-01T00:00:00.000Z' };
const NOTHING = { keys: 0, deliveries: 0, changes: 0, snapshots: 0, erasures: 0 };

/** Inserts `count` idempotency records of `owner` that expire at `expires_at`. */
async function keys(owner: string, count: number, expires_at: string): Promise<void> {
  await execute(
    database.url,
    `insert into idempotency select '${owner}', 'key ' || n, 'f', 'order', gen_random_uuid(), 1, '${expires_at}'
     from generate_series(1, ${count}) as n`,
  );
}

const lockKey = (owner: string, key: string) =>
  holding(database.url, `select 1 from idempotency where owner_id = '${owner}' and key = '${key}' for update`);

async function keysOf(owner: string): Promise<number> {
  const rows = await execute(database.url, `select 1 from idempotency where owner_id = '${owner}'`);
  return rows.length;
}

describe('a purge', () => {
  it('deletes the expired keys, and no others', async () => {
    await keys('old', 3, NOW);
    await keys('young', 2, '2026-03-01T00:00:00.001Z');
    expect(await purge(database.current)(ages)).toEqual({ ...NOTHING, keys: 3 });
    expect([await keysOf('old'), await keysOf('young')]).toEqual([0, 2]);
    expect(await purge(database.current)(ages)).toEqual(NOTHING);
  });

  it('deletes more keys than fit in a batch', async () => {
    await keys('many', 2500, '2026-02-02T00:00:00Z');
    expect(await purge(database.current)(ages)).toEqual({ ...NOTHING, keys: 2500 });
    expect(await keysOf('many')).toBe(0);
  });

  it('deletes what is kept of erasures by email by an age of its own, but none that is pending', async () => {
    for (const day of [1, 2]) {
      const clock = { now: () => new Date(`2025-01-0${day}T00:00:00Z`) };
      const domain = createDomain({ ...postgresStore(database.current), clock, ids: uuidv7Ids() });
      const buyer = { email: 'ada@example.com' };
      (await domain.placeOrder('erasing', { items: ITEMS, buyer }))._unsafeUnwrap();
      (await domain.erasePerson('erasing', buyer))._unsafeUnwrap();
    }
    const run = purge(database.current);
    expect(await run(ages)).toEqual({ ...NOTHING, changes: 2 });
    expect(await run({ ...ages, erasuresBefore: '2025-01-01T00:00:00.000Z' })).toEqual({ ...NOTHING, erasures: 2 });
    expect(await execute(database.url, 'select created_at from erasures')).toHaveLength(1);
    await execute(database.url, `update erasures set email_key = 'ada@example.com'`);
    expect(await run({ ...ages, erasuresBefore: NOW })).toEqual({ ...NOTHING, erasures: 1 });
    expect(await execute(database.url, 'select from erased_orders')).toEqual([]);
  });

  it('deletes the jobs of operators that have ended, or were never started, in the time of the events', async () => {
    await execute(
      database.url,
      `insert into operator_jobs select gen_random_uuid(), 'cancel', '{}', status, true, 'a', status || ' ' || day, '2026-01-01', ended,
         '{}', now(), 0
       from (values ('done', 1, timestamptz '2026-02-01Z'), ('done', 2, '2026-02-02Z'), ('cancelled', 1, '2026-02-01Z'),
         ('counted', 1, null), ('counting', 1, null), ('running', 1, null)) as j (status, day, ended)`,
    );
    await purge(database.current)(ages);
    const left = await execute(database.url, 'select reason from operator_jobs order by reason');
    expect(left.map(({ reason }) => reason)).toEqual(['counting 1', 'done 2', 'running 1']);
  });

  it('ends after the current batch when its signal is aborted', async () => {
    await keys('stopped', 1500, '2026-02-02T00:00:00Z');
    await execute(
      database.url,
      `update idempotency set expires_at = expires_at + make_interval(secs => substr(key, 5)::int) where owner_id = 'stopped'`,
    );
    await keys('locked', 1, '2026-02-01T00:00:00Z');
    const stop = new AbortController();
    const release = await lockKey('locked', 'key 1');
    const run = purge(database.current, { onPassedOver: () => stop.abort() });
    expect(await run(ages, stop.signal)).toEqual({ ...NOTHING, keys: 999 });
    expect(await run(ages, stop.signal)).toEqual(NOTHING);
    await release();
    expect((await run(ages)).keys).toBe(502);
  });

  it('runs on one of several servers, and the others do not wait', async () => {
    await keys('shared', 10, NOW);
    const lock = lockKeys('orders', PURGE_LOCK).join();
    const release = await holding(database.url, `select pg_advisory_xact_lock(${lock})`);
    const run = purge(database.current);
    expect(await run(ages)).toEqual(NOTHING);
    await release();
    expect((await run(ages)).keys).toBe(10);
  });

  it('does not block requests, not even retries with a key that is being deleted', async () => {
    await keys('busy', 10, NOW);
    const orders = decidedOrders(database.current);
    const place = async (key: string) => {
      const once = { key, fingerprint: 'new', now: NOW, expires_at: '2026-03-02T00:00:00.000Z' };
      return (await orders.insert('busy', anOrder(), once))._unsafeUnwrap();
    };
    // The purge has deleted nine keys and waits for the last, whose row another session has locked. It gives up first.
    const release = await lockKey('busy', 'key 10');
    const purging = purge(database.current)(ages);
    const placed = await Promise.all([place('another key'), place('key 1'), place('key 2')]);
    expect(placed.map(({ replayed }) => replayed)).toEqual([false, false, false]);
    await purging;
    await release();
    expect((await place('key 1')).replayed).toBe(true);
  });
});
