import type { Idempotency } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase, postgresOrderRepository } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { testDatabase } from './test-database.ts';

const database = testDatabase();
const ALL = ['parse', 'describe'];

describe('the statements of a run', () => {
  it('are prepared by name just when its project says so', async () => {
    await postgresOrderRepository(database.current).find('owner', anOrder().id);
    const named = await database.current.orm.em.fork().execute('select name from pg_prepared_statements');
    expect(named.length > 0).toBe(inject('preparedStatements'));
  });
});

/** The one connection of a database of its own, and what PostgreSQL is asked for whatever `work` executes over it. */
async function overOneConnection(preparedStatements: boolean) {
  const proxy = await startPostgresProxy(database.url);
  const store: Database = openDatabase({ url: proxy.url, poolMax: 1, preparedStatements });
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
  });
  const asked = async (work: () => ResultAsync<unknown, unknown>) => {
    proxy.clear();
    await work();
    return proxy.statements.map((statement) => statement.asked);
  };
  return { orders: postgresOrderRepository(store), asked };
}

describe('a statement with a name', () => {
  it('is parsed and described once for a connection, whether it answers with rows or not', async () => {
    const { orders, asked } = await overOneConnection(true);
    const find = () => orders.find('owner', anOrder().id);
    expect([await asked(find), await asked(find)]).toEqual([[ALL], [[]]]);
    const expired = (count: number): Idempotency => {
      const now = new Date(Date.UTC(2026, 0, count)).toISOString();
      return { key: 'key', fingerprint: 'f', now, expires_at: new Date(Date.UTC(2026, 0, count + 1)).toISOString() };
    };
    const place = (count: number) => () => {
      const order = anOrder();
      return orders.insert('owner', { order, event: anEventOf('owner', order) }, expired(count));
    };
    await place(1)();
    // A lookup of the key, the deletion of its expired record, which returns no rows, and the insert; then once more.
    expect(await asked(place(2))).toEqual([ALL, ALL, []]);
    expect(await asked(place(3))).toEqual([[], [], []]);
  });

  it('is not parsed again when its first execution failed', async () => {
    const { orders, asked } = await overOneConnection(true);
    const placed = anOrder();
    const place = (order = anOrder()) => orders.insert('owner', { order, event: anEventOf('owner', order) });
    await postgresOrderRepository(database.current).insert('owner', {
      order: placed,
      event: anEventOf('owner', placed),
    });
    await expect(place(placed)).rejects.toThrow('orders_pkey');
    expect((await place()).isOk()).toBe(true);
    expect(await asked(place)).toEqual([[]]);
  });
});

describe('a statement without a name', () => {
  it('is parsed and described each time', async () => {
    const { orders, asked } = await overOneConnection(false);
    const find = () => orders.find('owner', anOrder().id);
    expect([await asked(find), await asked(find)]).toEqual([[ALL], [ALL]]);
  });
});
