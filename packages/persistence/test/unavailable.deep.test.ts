import { parseOrderQuery } from '@orders/domain';
import { type DatabaseOptions, openDatabase, postgresApiKeys } from '@orders/persistence';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';
import { decidedOrders } from './decided-writes.ts';

const database = testDatabase();
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const other of opened.splice(0)) await other.close();
});

function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const other = openDatabase({ preparedStatements: inject('preparedStatements'), ...options, url });
  opened.push(other);
  return other;
}

describe('an unreachable database', () => {
  it('is unavailable to every call, never "not found"', async () => {
    const nowhere = open('postgresql://orders:secret@127.0.0.1:1/orders');
    const orders = decidedOrders(nowhere);
    const order = anOrder();
    const event = anEventOf('owner', order);
    const results = [
      await orders.find('owner', order.id),
      await orders.list('owner', parseOrderQuery({})._unsafeUnwrap()),
      await orders.insert('owner', { order, event }),
      await orders.update('owner', order.id, () => ok({ order, event })),
      await orders.delete('owner', order.id, () => ok(event)),
      await postgresApiKeys(nowhere).find('hash'),
    ];
    for (const result of results) expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
  });
});

describe('the URL of a database', () => {
  it('is used completely, including a TLS requirement', async () => {
    await expect(open(`${database.url}?sslmode=verify-full`).ping()).rejects.toThrow('does not support SSL');
    await expect(open(database.url).ping()).resolves.toBeUndefined();
  });
});

describe('a database whose URL refers to a missing file', () => {
  it('is unavailable to each of many concurrent statements without a wait', async () => {
    const url = `${database.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    const orders = decidedOrders(open(url, { connectTimeoutMs: 60_000 * 60 }));
    for (let count = 0; count < 30; count += 1) {
      const { id } = anOrder();
      const refused = { type: 'unavailable', cause: { name: 'NoConnection', cause: { code: 'ENOENT' } } };
      expect((await orders.find('owner', id))._unsafeUnwrapErr()).toMatchObject(refused);
    }
  });
});

describe('a database that fails during a query', () => {
  it('is unavailable after the loss of its connection, and available again at once', async () => {
    const other = open(database.url, { poolMax: 1 });
    const orders = decidedOrders(other);
    const { id } = anOrder();
    const notFound = { type: 'order_not_found', id };
    expect((await orders.find('owner', id))._unsafeUnwrapErr()).toEqual(notFound);
    await execute(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    const results = [await orders.find('owner', id), await orders.find('owner', id)];
    expect(['order_not_found', 'unavailable']).toContain(results[0]?._unsafeUnwrapErr().type);
    expect(results[1]?._unsafeUnwrapErr()).toEqual(notFound);
  });

  it('receives no further query on a connection whose end PostgreSQL announced', async () => {
    const proxy = await startPostgresProxy(database.url);
    try {
      const orders = decidedOrders(open(proxy.url, { poolMax: 1 }));
      const { id } = anOrder();
      const notFound = { type: 'order_not_found', id };
      expect((await orders.find('owner', id))._unsafeUnwrapErr()).toEqual(notFound);
      proxy.fault(1, 'terminated');
      const cut = (await orders.find('owner', id))._unsafeUnwrapErr();
      expect(cut).toMatchObject({ type: 'unavailable', cause: { code: '57P01' } });
      expect((await orders.find('owner', id))._unsafeUnwrapErr()).toEqual(notFound);
    } finally {
      await proxy.close();
    }
  });

  it('is unavailable when a statement takes too long, and when no connection is free in time', async () => {
    const other = open(database.url, {
      poolMax: 1,
      statementTimeoutMs: 3000,
      lockTimeoutMs: 3000,
      connectTimeoutMs: 100,
    });
    const orders = decidedOrders(other);
    const order = anOrder();
    await decidedOrders(database.current).insert('owner', { order, event: anEventOf('owner', order) });
    // From here on the connection exists, and only waiting takes time.
    await vi.waitFor(async () => expect((await orders.find('owner', order.id)).isOk()).toBe(true));
    await database.current.orm.em.fork().transactional(async (em) => {
      await em.execute('select 1 from orders where id = ? for update', [order.id]);
      const change = { order: { ...order, version: 2 }, event: anEventOf('owner', { ...order, version: 2 }) };
      const slow = orders.update('owner', order.id, () => ok(change));
      await vi.waitFor(async () => {
        const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        expect(await execute(database.url, waiting)).toHaveLength(1);
      });
      expect((await orders.find('owner', order.id))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
      expect((await slow)._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: { code: '57014' } });
    });
    expect((await orders.find('owner', order.id))._unsafeUnwrap()).toEqual(order);
  });
});
