import { createDomain, type Domain } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { type Database, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import type { Result } from 'neverthrow';
import { SHOP } from './turnover.ts';

/** The time between two changes of the shop, in milliseconds: a run of the example takes some days of the shop. */
const PACE_MS = 10 * 60_000;

/** Returns the use cases of a shop whose time passes faster. */
export function openShop(database: Database): Domain {
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => new Date((now += PACE_MS)) };
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  return createDomain({ orders, customers, clock, ids: uuidv7Ids() });
}

/** Places an order, and may pay, change or cancel it. */
export async function sell(domain: Domain): Promise<void> {
  const currency = maybe(0.5) ? 'EUR' : 'CHF';
  const item = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 1, unit_price: { amount: 650, currency } };
  const { order } = valueOf(await domain.placeOrder(SHOP, { items: [item] }));
  if (maybe(0.7)) valueOf(await domain.changeOrder(SHOP, order.id, { status: 'paid' }));
  if (maybe(0.3)) valueOf(await domain.changeOrder(SHOP, order.id, { note: 'as a gift' }));
  if (maybe(0.3)) valueOf(await domain.cancelOrder(SHOP, order.id));
}

function maybe(probability: number): boolean {
  return Math.random() < probability;
}

/** @throws {Error} the result is an error, which it never is here */
export function valueOf<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error('a use case failed', { cause: result.error });
  return result.value;
}
