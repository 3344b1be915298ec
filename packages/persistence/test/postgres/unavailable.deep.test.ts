import { parseOrderQuery } from '@orders/domain';
import { type DatabaseOptions, openDatabase, postgresApiKeys } from '@orders/persistence';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

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
});
