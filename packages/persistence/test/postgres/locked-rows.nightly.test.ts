import { randomUUID } from 'node:crypto';
import { anOrder } from '@orders/domain/testing';
import { type DatabaseSettings, openDatabase } from '@orders/persistence';
import { describe, expect, inject, it } from 'vitest';
import { type DecidedOrders, decidedOrders, lastingKey, withNote } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, holdKey, lockWaits, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const LOCK_TIMEOUT = { type: 'unavailable', cause: { code: '55P03' } };
const IMPATIENT = { lockTimeoutMs: 200, statementTimeoutMs: 60_000 };

function open(settings: DatabaseSettings = {}) {
  const preparedStatements = inject('preparedStatements');
  const opened = untilFinished(openDatabase({ preparedStatements, ...settings, url: database.url }));
  return { opened, orders: decidedOrders(opened) };
}

async function placed(orders: DecidedOrders, owner: string): Promise<string> {
  return (await orders.insert(owner, anOrder()))._unsafeUnwrap().aggregate.id;
}

const lockOrder = (id: string) => holding(database.url, `select 1 from orders where id = '${id}' for update`);

describe('a statement that waits for a lock', () => {
  it('is unavailable after the lock timeout for a row, long before the statement timeout', async () => {
    const { orders } = open(IMPATIENT);
    const id = await placed(orders, 'owner');
    const release = await lockOrder(id);
    expect((await orders.update('owner', id, withNote('x')))._unsafeUnwrapErr()).toMatchObject(LOCK_TIMEOUT);
    await release();
    expect((await orders.update('owner', id, withNote('x'))).isOk()).toBe(true);
  });

  it('is unavailable, too, when an open transaction inserted its idempotency key', async () => {
    const { orders } = open(IMPATIENT);
    const release = await holding(database.url, holdKey('owner', 'k'));
    const place = () => orders.insert('owner', anOrder(), lastingKey('k'));
    expect((await place())._unsafeUnwrapErr()).toMatchObject(LOCK_TIMEOUT);
    await release();
    expect((await place())._unsafeUnwrap()).toMatchObject({ replayed: false });
  });

  it('waits at most for the statement timeout when that is shorter', async () => {
    const id = await placed(open().orders, 'owner');
    await lockOrder(id);
    const refused = (
      await open({ statementTimeoutMs: 1500 }).orders.update('owner', id, withNote('x'))
    )._unsafeUnwrapErr();
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
  const lockTable = () => holding(database.url, 'lock table orders in access exclusive mode');

  it('is sent again after the lock timeout, until the table is free', async () => {
    const { orders } = open({ lockTimeoutMs: 200 });
    const id = await placed(orders, 'owner');
    const release = await lockTable();
    const results = [orders.find('owner', id), orders.update('owner', id, withNote('x'))];
    await expect.poll(() => lockWaits(database.url)).toBe(2);
    const first = await sentAt();
    const sentAgain = async () => (await sentAt()).filter((time) => !first.includes(time));
    await expect.poll(sentAgain).toHaveLength(2);
    await release();
    for (const result of await Promise.all(results)) expect(result.isOk()).toBe(true);
  });

  it('is unavailable after ten seconds when the table stays locked, and says why also without a connection', async () => {
    const { opened, orders } = open({ lockTimeoutMs: 900, connectTimeoutMs: 2000, poolMax: 3 });
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (owner) => ({ owner, id: await placed(orders, owner) })),
    );
    await lockTable();
    const began = performance.now();
    const reads = Array.from({ length: 5 }, () => ids.map(({ owner, id }) => orders.find(owner, id))).flat();
    const rejections = (await Promise.all(reads)).map((read) => read._unsafeUnwrapErr());
    expect(performance.now() - began).toBeLessThan(12_000);
    const causes = rejections.map((rejection) => ('cause' in rejection ? rejection.cause : null));
    const withoutConnection = causes.filter((cause) => cause instanceof Error && cause.name === 'NoConnection');
    expect(withoutConnection.length).toBeGreaterThan(0);
    for (const cause of withoutConnection) expect(String(cause)).toContain('failed: lock_timeout');
    const others = causes.filter((cause) => !withoutConnection.includes(cause));
    expect(others.length).toBeGreaterThan(0);
    for (const cause of others) expect(cause).toMatchObject({ code: '55P03' });
    expect(opened.primary.failures.get('lock_timeout')).toBeGreaterThan(0);
  });
});

describe('a transaction without statements', () => {
  it('is ended by PostgreSQL, which replaces its connection and releases its locks', async () => {
    const { opened, orders } = open({ statementTimeoutMs: 2000, poolMax: 1 });
    const id = await placed(open().orders, 'owner');
    const idle = opened.primary.transaction(async (transaction) => {
      await transaction.run(`select 1 from orders.orders where id = '${id}' for update`);
      const { orders: other } = open({ lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
      expect((await other.update('owner', id, withNote('x'))).isOk()).toBe(true);
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
    const id = await placed(orders, owner);
    const release = await lockOrder(id);
    const changes = Array.from({ length: 30 }, () => orders.update(owner, id, withNote('x')));
    await expect.poll(() => lockWaits(database.url)).toBe(4);
    await expect.poll(() => opened.primary.waiting).toBe(26);
    const otherOwners = Array.from({ length: 20 }, async () => {
      const neighbour = randomUUID();
      return (await orders.find(neighbour, await placed(orders, neighbour))).isOk();
    });
    // The test would not end if these waited for the lock.
    expect(await Promise.all(otherOwners)).toEqual(Array.from({ length: 20 }, () => true));
    // The queued changes end by their own time limit.
    await expect.poll(() => opened.primary.waiting).toBe(0);
    expect(await lockWaits(database.url)).toBe(4);
    await release();
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
    const execution: typeof primary.execute = (statement, values) => {
      owners.add(statement.owner === undefined ? undefined : values[statement.owner]);
      return primary.execute(statement, values);
    };
    const orders = decidedOrders({
      ...opened,
      primary: { ...primary, execute: execution },
      readAnywhere: (read) => read(primary),
    });
    const owner = randomUUID();
    const id = await placed(orders, owner);
    for (const _ of ['first', 'replay']) await orders.insert(owner, anOrder(), lastingKey('insert'));
    await orders.update(owner, id, (before) => before, lastingKey('record'));
    await orders.update(owner, id, withNote('x'), lastingKey('update'));
    await orders.listVersions(owner, id, { limit: 10, after: null, at: null });
    await orders.listVersions(owner, id, { limit: 10, after: null, at: '2026-01-02T03:04:05.678Z' });
    await orders.findVersion(owner, id, 1);
    expect((await orders.delete(owner, id, lastingKey('delete'))).isOk()).toBe(true);
    expect([...owners]).toEqual([owner]);
  });
});
