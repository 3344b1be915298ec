import { createDomain } from '@orders/domain/runtime';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  postgresCustomerRepository,
  postgresOrderRepository,
} from '@orders/persistence';
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import type { TestDatabase } from '../fixtures/test-database.ts';

export const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
export const AT = new Date('2026-01-02T03:04:05.678Z');
export const RETRYABLE = { type: 'transaction_failed', outcome: 'rolled_back', retryable: true };

/** Returns the statement that adds a row of the host. */
export const insertPickUp = (shelf: string) =>
  `insert into shop.pick_ups values (gen_random_uuid(), now(), '${shelf}')`;

/** Returns the domain of a database, without a transaction of the host. */
export function domainOf(database: Database) {
  const orders = postgresOrderRepository(database);
  return createDomain({ orders, customers: postgresCustomerRepository(database) });
}

/** Returns what a host does on a database with its table, and what others find there. */
export function aHost(tested: TestDatabase) {
  const outside = () => domainOf(tested.current);
  return {
    /** Opens the database until the test ends. */
    open: (options: Partial<DatabaseOptions> = {}): Database =>
      untilFinished(openDatabase({ url: tested.url, poolMax: 2, ...options })),
    /** Opens a client of the host until the test ends. */
    connect: async (config: ClientConfig = {}): Promise<Client> => {
      const client = new Client({ connectionString: tested.url, ...config });
      client.on('error', () => undefined);
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
    /** Opens a pool of the host until the test ends. */
    openPool: (config: PoolConfig = {}): Pool => {
      const pool = new Pool({ connectionString: tested.url, ...config });
      // The database may be dropped before its sessions end.
      pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
      onTestFinished(async () => (pool.ending ? undefined : await pool.end()));
      return pool;
    },
    outside,
    place: async (owner: string, reference?: string) =>
      (await outside().placeOrder(owner, { items: [ITEM], reference }))._unsafeUnwrap().order.id,
    /** Returns the references of the orders of an owner. */
    references: async (owner: string) =>
      (await outside().listOrders(owner))._unsafeUnwrap().data.map(({ reference }) => reference),
    count: async (owner: string) => (await outside().listOrders(owner))._unsafeUnwrap().data.length,
    /** Returns the shelves of the rows of the host that begin with a text. */
    shelves: async (prefix: string): Promise<readonly unknown[]> => {
      const text = `select shelf from shop.pick_ups where shelf like '${prefix}%' order by shelf`;
      return (await execute(tested.url, text)).map(({ shelf }) => shelf);
    },
  };
}
