import { aKey, anOrder } from '@orders/domain/testing';
import { type Database, postgresOrderRepository } from '@orders/persistence';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { decidedOrders } from '../fixtures/decided-writes.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();
const ALL = ['parse', 'describe'];

describe('the statements of a run', () => {
  it('are prepared by name exactly when the project is configured to', async () => {
    await decidedOrders(database.current).find('owner', anOrder().id);
    const named = await (
      await database.current.orm.load()
    ).mikroOrm.em
      .fork()
      .execute('select name from pg_prepared_statements');
    expect(named.length > 0).toBe(inject('preparedStatements'));
  });
});

/** Opens a database with one connection, and a function that counts the messages that `work` sends over it. */
async function overOneConnection(preparedStatements: boolean) {
  const { proxy, server } = await watchedServer(database.url, { poolMax: 1, preparedStatements });
  const messages = async (work: () => ResultAsync<unknown, unknown>) => {
    proxy.clear();
    await work();
    return proxy.statements.map((statement) => statement.messages);
  };
  const orders = decidedOrders(server);
  return { orders, messages, find: () => orders.find('owner', anOrder().id) };
}

describe('a statement with a name', () => {
  it('is parsed and described once per connection, with or without rows', async () => {
    const { orders, messages, find } = await overOneConnection(true);
    expect([await messages(find), await messages(find)]).toEqual([[ALL], [[]]]);
    const day = (count: number) => new Date(Date.UTC(2026, 0, count)).toISOString();
    const place = (count: number) => () =>
      orders.insert('owner', anOrder(), aKey({ key: 'key', now: day(count), expires_at: day(count + 1) }));
    await place(1)();
    // Sends a lookup of the key, the deletion of its expired record, which returns no rows, and the insert; then all
    // three again.
    expect(await messages(place(2))).toEqual([ALL, ALL, []]);
    expect(await messages(place(3))).toEqual([[], [], []]);
  });

  it('is not parsed again when its first execution failed', async () => {
    const { orders, messages } = await overOneConnection(true);
    const placed = anOrder();
    const place = (order = anOrder()) => orders.insert('owner', order);
    await decidedOrders(database.current).insert('owner', placed);
    await expect(place(placed)).rejects.toThrow('ids must be unique');
    expect((await place()).isOk()).toBe(true);
    expect(await messages(() => place())).toEqual([[]]);
  });
});

describe('a statement without a name', () => {
  it('is parsed and described at each execution', async () => {
    const { messages, find } = await overOneConnection(false);
    expect([await messages(find), await messages(find)]).toEqual([[ALL], [ALL]]);
  });
});

describe('a statement without a response', () => {
  const find = async (server: Database) => {
    const loaded = await postgresOrderRepository(server).load('owner', anOrder().id);
    if (loaded.isErr()) throw loaded.error.cause;
  };

  it.each<[string, (server: Database) => Promise<unknown>]>([
    ['prepared', find],
    ['sent as text', async (server) => (await server.orm.load()).mikroOrm.em.fork().execute('select 1')],
  ])('is given up, with its connection, when it is %s', async (_, run) => {
    const { proxy, server } = await watchedServer(database.url, { poolMax: 1, statementTimeoutMs: 200 });
    await run(server);
    proxy.clear();
    const withheld = proxy.fault(1, 'swallowed');
    await expect(run(server)).rejects.toThrow('Query read timeout');
    expect(withheld.statement).toBeDefined();
    await run(server);
  });

  it('is no statement that has ended', async () => {
    const { server } = await watchedServer(database.url, { poolMax: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await find(server);
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    await find(server);
  });
});
