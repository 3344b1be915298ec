import { type Order, parseOrderQuery } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import { startStreamingPair, type StreamingPair } from './streaming-standby.ts';
import { decidedCustomers, decidedOrders } from '../fixtures/decided-writes.ts';

export const OWNER = 'owner';
export const POLL_OPTIONS = { interval: 100 };
export const LIST = /row_number\(\) over|from customers as o/;

/** Starts a primary and its streaming standby, for the tests of a file. */
export function streamingPair(): { readonly current: StreamingPair } {
  let pair: StreamingPair | undefined;

  beforeAll(async () => {
    pair = await startStreamingPair();
  });
  afterAll(async () => {
    await pair?.stop();
  });
  return {
    get current() {
      if (!pair) throw new Error('the servers exist only while the tests run');
      return pair;
    },
  };
}

/** Opens all repositories of a database with these replicas, until the test ends. */
export function openReplicated(url: string, replicaUrls: readonly string[]) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const preparedStatements = inject('preparedStatements');
  const database = openDatabase({ url, replicaUrls, connectTimeoutMs: 2000, preparedStatements, warn });
  onTestFinished(() => database.close());
  const orders = decidedOrders(database);
  const customers = decidedCustomers(database);
  const page = { sort: '-created_at', limit: 100, offset: 0, after: null } as const;
  return {
    database,
    orders,
    customers,
    warnings,
    place: async (order: Order = anOrder(), key?: string) => {
      const record = {
        key: key ?? '',
        fingerprint: 'f',
        now: order.created_at,
        expires_at: '2100-01-01T00:00:00.000Z',
      };
      const event = anEventOf(OWNER, order);
      return (await orders.insert(OWNER, { order, event }, key === undefined ? undefined : record))._unsafeUnwrap();
    },
    create: async (customer = aCustomer()) =>
      (await customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }))._unsafeUnwrap(),
    listedOrders: async () => {
      const query = parseOrderQuery({})._unsafeUnwrap();
      return (await orders.list(OWNER, { ...query, ...page }))._unsafeUnwrap().data.map(({ id }) => id);
    },
    listedCustomers: async () => (await customers.list(OWNER, page))._unsafeUnwrap().data.map(({ id }) => id),
  };
}

/** Wraps a replica to count its lists. */
export async function counted(url: string) {
  const proxy = await startPostgresProxy(url);
  onTestFinished(() => proxy.close());
  return {
    url: proxy.url,
    proxy,
    lists: () => proxy.statements.filter(({ text }) => LIST.test(text)).length,
    clear: () => proxy.clear(),
  };
}

/** Reads lists until `replica` has served one. */
export async function untilReadFrom(replica: { lists: () => number }, list: () => Promise<unknown>): Promise<void> {
  const before = replica.lists();
  await expect
    .poll(async () => {
      await list();
      return replica.lists();
    }, POLL_OPTIONS)
    .toBeGreaterThan(before);
}
