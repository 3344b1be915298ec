import { randomUUIDv7 } from 'node:crypto';
import { createDomain, type Domain, type OrderDefinition } from '@orders/domain';
import { type OrdersDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import type { Config } from './config/config.ts';

/** Returns the use cases of orders and customers on a database. */
export function domainOf({ IDEMPOTENCY_TTL_HOURS }: Config, database: OrdersDatabase): Domain<OrderDefinition> {
  return createDomain({
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    clock: { now: () => new Date() },
    ids: { next: randomUUIDv7 },
    idempotencyTtlMs: IDEMPOTENCY_TTL_HOURS * 60 * 60 * 1000,
  });
}
