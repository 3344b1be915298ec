import { type Order, parseCustomerQuery, parseOrderQuery } from '@orders/domain';
import { aCustomer, anOrder } from '@orders/domain/testing';
import { openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { decidedCustomers, decidedOrders, lastingKey } from '../fixtures/decided-writes.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { startStreamingPair, type StreamingPair } from './streaming-standby.ts';

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
  const settings = { url, replicaUrls, connectTimeoutMs: 2000, preparedStatements, warn };
  const database = untilFinished(openDatabase(settings));
  const orders = decidedOrders(database);
  const customers = decidedCustomers(database);
  const all = parseOrderQuery({ limit: 100 })._unsafeUnwrap();
  const customersPage = parseCustomerQuery({ limit: 100 })._unsafeUnwrap();
  return {
    database,
    orders,
    customers,
    warnings,
    place: async (order: Order = anOrder(), key?: string) => {
      const placed = await orders.insert(OWNER, order, key === undefined ? undefined : lastingKey(key));
      return placed._unsafeUnwrap().aggregate;
    },
    create: async () => (await customers.insert(OWNER, aCustomer()))._unsafeUnwrap().aggregate,
    listedOrders: async () => (await orders.list(OWNER, all))._unsafeUnwrap().data.map(({ id }) => id),
    listedCustomers: async () => (await customers.list(OWNER, customersPage))._unsafeUnwrap().data.map(({ id }) => id),
  };
}

/** Wraps a replica to count its lists. */
export async function counted(url: string) {
  const proxy = untilFinished(await startPostgresProxy(url));
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
