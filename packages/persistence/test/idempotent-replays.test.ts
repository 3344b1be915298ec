import type { Idempotency } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { testDatabase } from './test-database.ts';
import { type DecidedOrders, decidedOrders } from './decided-writes.ts';

const database = testDatabase();
let proxy: PostgresProxy;

beforeAll(async () => {
  proxy = await startPostgresProxy(database.url);
});

afterAll(() => proxy.close());

/** Runs `work` with new repositories, without recent keys, as in another process. */
async function inAnotherProcess<T>(work: (store: Database) => Promise<T>): Promise<T> {
  const store = openDatabase({ url: proxy.url, preparedStatements: inject('preparedStatements') });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Places an order with a key, and returns the statements that were sent. */
async function place(orders: DecidedOrders, once: Idempotency) {
  proxy.clear();
  const order = anOrder();
  const written = await orders.insert('owner', { order, event: anEventOf('owner', order) }, once);
  const verbs = proxy.statements.map(({ text }) =>
    text.endsWith(' as outcome') ? 'call' : /^\s*(\w+)/.exec(text)?.[1],
  );
  return { ...written._unsafeUnwrap(), verbs };
}

const ONCE: Idempotency = {
  key: 'key',
  fingerprint: 'f',
  now: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-02T00:00:00.000Z',
};

describe('a retried create', () => {
  it('takes one lookup in the process of the first request, and a call and a lookup elsewhere', async () => {
    const first = await inAnotherProcess(async (store) => {
      const orders = decidedOrders(store);
      const made = await place(orders, ONCE);
      expect(made).toMatchObject({ replayed: false, verbs: ['call'] });
      expect(await place(orders, ONCE)).toMatchObject({ replayed: true, order: made.order, verbs: ['select'] });
      return made;
    });
    await inAnotherProcess(async (store) => {
      const orders = decidedOrders(store);
      expect(await place(orders, ONCE)).toMatchObject({
        replayed: true,
        order: first.order,
        verbs: ['call', 'select'],
      });
      expect(await place(orders, ONCE)).toMatchObject({ replayed: true, order: first.order, verbs: ['select'] });
    });
  });

  it('creates an order again after its key expired, also in a process that used the key recently', async () => {
    const expired = { ...ONCE, now: ONCE.expires_at, expires_at: '2026-01-03T00:00:00.000Z' };
    await inAnotherProcess(async (store) => {
      const orders = decidedOrders(store);
      await place(orders, ONCE);
      const made = await place(orders, expired);
      expect(made).toMatchObject({ replayed: false, verbs: ['select', 'delete', 'call'] });
      expect(await place(orders, expired)).toMatchObject({ replayed: true, order: made.order, verbs: ['select'] });
    });
  });
});
