import type { Order } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { purge } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

const OWNER = 'owner';
const database = testDatabase();

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

/** The shortest retention times that a server accepts. */
const ages = () => ({ now: hoursAgo(0), eventsBefore: hoursAgo(24), historyBefore: hoursAgo(24) });

const keyOf = (key: string) => ({ key, fingerprint: key, now: hoursAgo(0), expires_at: hoursAgo(-24) });

const unchanged = (order: Order) => ok({ order, event: null });

/** Stores an order that was placed two days ago. */
async function anOldOrder(): Promise<Order> {
  const time = hoursAgo(48);
  const order = { ...anOrder(), created_at: time, updated_at: time };
  const orders = decidedOrders(database.current);
  return (await orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }))._unsafeUnwrap().order;
}

async function deleteOrder({ id }: Order, now: string, key?: string): Promise<void> {
  const decide = (order: Order) => {
    const event = anEventOf(OWNER, { ...order, version: order.version + 1, updated_at: now });
    return ok({ ...event, type: 'order.deleted' as const, changed: [] });
  };
  const deleted = await decidedOrders(database.current).delete(
    OWNER,
    id,
    decide,
    key === undefined ? undefined : keyOf(key),
  );
  deleted._unsafeUnwrap();
}

/** Opens a transaction that runs `statement`, and ends with the returned function. */
async function holding(statement: string): Promise<() => Promise<void>> {
  const session = new Client({ connectionString: database.url, ...FINDS_TABLES });
  await session.connect();
  onTestFinished(() => session.end());
  await session.query('begin');
  await session.query(statement);
  return async () => {
    await session.query('rollback');
  };
}

async function untilSomeoneWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(await execute(database.url, waiting)).toHaveLength(1);
  });
}

describe('a purge that meets', () => {
  it('a write that changes nothing keeps the version that its key will refer to', async () => {
    const orders = decidedOrders(database.current);
    const order = await anOldOrder();
    // The write has loaded the order, and waits to record its key while the order is deleted and the purge runs.
    const release = await holding(
      `insert into idempotency values ('${OWNER}', 'no-op', 'f', 'order', '${order.id}', 1, now() + interval '1 day')`,
    );
    const writing = orders.update(OWNER, order.id, unchanged, keyOf('no-op'));
    await untilSomeoneWaits();
    await deleteOrder(order, hoursAgo(0));
    await purge(database.current)(ages());
    await release();
    expect((await writing)._unsafeUnwrap().order).toEqual(order);
    const replayed = await orders.update(OWNER, order.id, unchanged, keyOf('no-op'));
    expect(replayed._unsafeUnwrap()).toEqual({ order, event: null, replayed: true });
  });

  it('a replay does not delay it, and lets it find its version', async () => {
    const orders = decidedOrders(database.current);
    const order = await anOldOrder();
    const replay = () => orders.update(OWNER, order.id, unchanged, keyOf('replay'));
    (await replay())._unsafeUnwrap();
    const other = await anOldOrder();
    await deleteOrder(order, hoursAgo(25));
    await deleteOrder(other, hoursAgo(25));
    const release = await holding(`select 1 from changes where aggregate_id = '${other.id}' for update`);
    const run = purge(database.current);
    const [purged, replayed] = await Promise.all([run(ages()), replay()]);
    expect(replayed._unsafeUnwrap()).toMatchObject({ order, replayed: true });
    expect(purged.changes).toBe(0);
    await release();
    expect((await run(ages())).changes).toBe(2);
    expect((await replay())._unsafeUnwrap()).toMatchObject({ order, replayed: true });
  });

  it('deletions with keys ends like they do, and each is replayed', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, anOldOrder));
    const stop = new AbortController();
    const purging = (async () => {
      let purged = 0;
      while (!stop.signal.aborted) {
        const { changes, snapshots } = await purge(database.current)(ages());
        purged += changes + snapshots;
      }
      return purged;
    })();
    // One half is deleted long ago, by its times.
    await Promise.all(orders.map((order, n) => deleteOrder(order, hoursAgo(n % 2 === 0 ? 0 : 25), `delete ${n}`)));
    stop.abort();
    await purging;
    await Promise.all(orders.map((order, n) => deleteOrder(order, hoursAgo(0), `delete ${n}`)));
    // The keys keep the records of the deletions.
    const ids = orders.map(({ id }) => `'${id}'`).join(', ');
    const deletions = `select 1 from changes where aggregate_id in (${ids}) and type = 'order.deleted'`;
    expect(await execute(database.url, deletions)).toHaveLength(20);
  });
});
