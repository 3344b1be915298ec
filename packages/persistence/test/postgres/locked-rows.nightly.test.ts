import { randomUUID } from 'node:crypto';
import type { Idempotency, Order } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, type DatabaseOptions, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { holdKey } from '../fixtures/hold-key.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { type DecidedOrders, decidedOrders } from '../fixtures/decided-writes.ts';

const database = testDatabase();
const LOCK_TIMEOUT = { type: 'unavailable', cause: { code: '55P03' } };

function open(options: Partial<DatabaseOptions> = {}): { opened: Database; orders: DecidedOrders } {
  const opened = openDatabase({ preparedStatements: inject('preparedStatements'), ...options, url: database.url });
  onTestFinished(() => opened.close());
  return { opened, orders: decidedOrders(opened) };
}

/** Opens a session with a transaction, outside the servers. */
async function anotherTransaction(): Promise<Client> {
  const session = new Client({ connectionString: database.url, ...FINDS_TABLES });
  await session.connect();
  onTestFinished(() => session.end());
  await session.query('begin');
  return session;
}

async function placed(orders: DecidedOrders, owner: string): Promise<Order> {
  const order = anOrder();
  return (await orders.insert(owner, { order, event: anEventOf(owner, order) }))._unsafeUnwrap().order;
}

function withNote(owner: string) {
  return (before: Order) => {
    const order = { ...before, note: 'note', version: before.version + 1 };
    return ok({ order, event: anEventOf(owner, order, { id: randomUUID() }) });
  };
}

async function waitingForLocks(): Promise<number> {
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await execute(database.url, waiting)).length;
}

describe('a statement that waits for a lock', () => {
  it('is unavailable after the lock timeout for a row, long before the statement timeout', async () => {
    const { orders } = open({ lockTimeoutMs: 200, statementTimeoutMs: 60_000 });
    const { id } = await placed(orders, 'owner');
    const other = await anotherTransaction();
    await other.query('select 1 from orders where id = $1 for update', [id]);
    expect((await orders.update('owner', id, withNote('owner')))._unsafeUnwrapErr()).toMatchObject(LOCK_TIMEOUT);
    await other.query('rollback');
    expect((await orders.update('owner', id, withNote('owner'))).isOk()).toBe(true);
  });

  it('is unavailable, too, when an open transaction inserted its idempotency key', async () => {
    const { orders } = open({ lockTimeoutMs: 200, statementTimeoutMs: 60_000 });
    const once: Idempotency = {
      key: 'k',
      fingerprint: 'f',
      now: '2026-01-01T00:00:00.000Z',
      expires_at: '2100-01-01T00:00:00.000Z',
    };
    const other = await anotherTransaction();
    await holdKey(other, 'owner', 'k');
    const order = anOrder();
    const place = () => orders.insert('owner', { order, event: anEventOf('owner', order) }, once);
    expect((await place())._unsafeUnwrapErr()).toMatchObject(LOCK_TIMEOUT);
    await other.query('rollback');
    expect((await place())._unsafeUnwrap()).toMatchObject({ replayed: false });
  });

  it('waits at most for the statement timeout when that is shorter', async () => {
    const { orders } = open({ statementTimeoutMs: 1500 });
    const { id } = await placed(open().orders, 'owner');
    const other = await anotherTransaction();
    await other.query('select 1 from orders where id = $1 for update', [id]);
    const refused = (await orders.update('owner', id, withNote('owner')))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'unavailable', cause: { code: '57014' } });
  });
});

describe('a statement that waits for a table', () => {
  /** Returns the times at which the waiting statements were sent. */
  const sentAt = async () => {
    const waiting = `select query_start::text from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    return (await execute(database.url, waiting)).map(({ query_start }) => String(query_start));
  };

  it('is sent again after the lock timeout, until the table is free', async () => {
    const { orders } = open({ lockTimeoutMs: 200 });
    const { id } = await placed(orders, 'owner');
    const other = await anotherTransaction();
    await other.query('lock table orders in access exclusive mode');
    const results = [orders.find('owner', id), orders.update('owner', id, withNote('owner'))];
    await expect.poll(waitingForLocks).toBe(2);
    const first = await sentAt();
    const sentAgain = async () => (await sentAt()).filter((time) => !first.includes(time));
    await expect.poll(sentAgain).toHaveLength(2);
    await other.query('rollback');
    for (const result of await Promise.all(results)) expect(result.isOk()).toBe(true);
  });

  it('is unavailable when the table stays locked', async () => {
    const { orders } = open({ lockTimeoutMs: 3000 });
    const { id } = await placed(orders, 'owner');
    const other = await anotherTransaction();
    await other.query('lock table orders in access exclusive mode');
    expect((await orders.find('owner', id))._unsafeUnwrapErr()).toMatchObject(LOCK_TIMEOUT);
  });
});

describe('a transaction without statements', () => {
  it('is ended by PostgreSQL, which replaces its connection and releases its locks', async () => {
    const { opened, orders } = open({ statementTimeoutMs: 2000, poolMax: 1 });
    const { id } = await placed(open().orders, 'owner');
    const idle = opened.primary.transaction(async (transaction) => {
      await transaction.run(`select 1 from orders.orders where id = '${id}' for update`);
      const { orders: other } = open({ lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
      expect((await other.update('owner', id, withNote('owner'))).isOk()).toBe(true);
      await transaction.run('select 1');
    });
    await expect(idle).rejects.toThrow(/idle-in-transaction timeout|not queryable|Connection terminated/);
    expect((await orders.find('owner', id)).isOk()).toBe(true);
  });
});

describe('waiting changes of one locked order', () => {
  it('use a third of the pool and end as unavailable, while other owners read and write at once', async () => {
    const { opened, orders } = open({ lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, connectTimeoutMs: 3000 });
    const owner = randomUUID();
    const { id } = await placed(orders, owner);
    const other = await anotherTransaction();
    await other.query('select 1 from orders where id = $1 for update', [id]);
    const changes = Array.from({ length: 30 }, () => orders.update(owner, id, withNote(owner)));
    await expect.poll(waitingForLocks).toBe(4);
    await expect.poll(() => opened.primary.waiting).toBe(26);
    const otherOwners = Array.from({ length: 20 }, async () => {
      const neighbour = randomUUID();
      const order = await placed(orders, neighbour);
      return (await orders.find(neighbour, order.id)).isOk();
    });
    // The test would not end if these waited for the lock.
    expect(await Promise.all(otherOwners)).toEqual(Array.from({ length: 20 }, () => true));
    // The queued changes end by their own time limit.
    await expect.poll(() => opened.primary.waiting).toBe(0);
    expect(await waitingForLocks()).toBe(4);
    await other.query('rollback');
    const results = await Promise.all(changes);
    expect(results.filter((result) => result.isOk())).toHaveLength(4);
    const refused = results.flatMap((result) => (result.isErr() ? [result.error] : []));
    const noConnection = { type: 'unavailable', cause: { name: 'NoConnection' } };
    expect(refused).toMatchObject(Array.from({ length: 26 }, () => noConnection));
    const { pool } = opened.primary;
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0]);
  });
});

describe('every statement on rows of an owner', () => {
  it('counts toward the share of that owner', async () => {
    const { opened } = open();
    const { primary } = opened;
    const owners = new Set<string | null | undefined>();
    const orders = decidedOrders({
      ...opened,
      primary: {
        ...primary,
        execute: (statement, values) => {
          owners.add(statement.owner === undefined ? undefined : values[statement.owner]);
          return primary.execute(statement, values);
        },
      },
      readAnywhere: (read) => read(primary),
    });
    const owner = randomUUID();
    const once = (key: string): Idempotency => ({
      key,
      fingerprint: 'f',
      now: '2026-01-01T00:00:00.000Z',
      expires_at: '2100-01-01T00:00:00.000Z',
    });
    const { id } = await placed(orders, owner);
    const order = anOrder();
    const event = anEventOf(owner, order);
    await orders.insert(owner, { order, event }, once('insert'));
    await orders.insert(owner, { order, event }, once('insert'));
    await orders.update(owner, id, (before) => ok({ order: before, event: null }), once('record'));
    await orders.update(owner, id, withNote(owner), once('update'));
    await orders.listVersions(owner, id, { limit: 10, after: null, at: null });
    await orders.listVersions(owner, id, { limit: 10, after: null, at: event.occurred_at });
    await orders.findVersion(owner, id, 1);
    const deleted = (before: Order) => ok(anEventOf(owner, before, { type: 'order.deleted' }));
    expect((await orders.delete(owner, id, deleted, once('delete'))).isOk()).toBe(true);
    expect([...owners]).toEqual([owner]);
  });
});
