import { createDomain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import type { TestDatabase } from '../fixtures/test-database.ts';

export const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
export const RETRYABLE = { type: 'transaction_failed', outcome: 'rolled_back', retryable: true };

/** Returns what a host does on a database with its table, and what others find there. */
export function aHost(tested: TestDatabase) {
  function outside() {
    const orders = postgresOrderRepository(tested.current);
    const customers = postgresCustomerRepository(tested.current);
    return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() });
  }
  return {
    /** Opens the database until the test ends. */
    open: (options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database => {
      const database = openDatabase({ url: tested.url, poolMax: 2, ...options });
      onTestFinished(() => database.close());
      return database;
    },
    /** The domain without a transaction of the host. */
    outside,
    place: async (owner: string, reference?: string) =>
      (await outside().placeOrder(owner, { items: [ITEM], reference }))._unsafeUnwrap().order.id,
    count: async (owner: string) => (await outside().listOrders(owner))._unsafeUnwrap().data.length,
    pickUps: async (shelf: string) =>
      (await execute(tested.url, `select from shop.pick_ups where shelf = '${shelf}'`)).length,
  };
}
