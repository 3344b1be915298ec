import { randomUUIDv7 } from 'node:crypto';
import { type Clock, createDomain, type Domain, type OrderDefinition } from '@orders/domain';
import { type OrdersDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import type { Config } from './config/config.ts';

/** Returns how long idempotency keys are kept, in milliseconds. */
export function idempotencyTtlOf({ IDEMPOTENCY_TTL_HOURS }: Pick<Config, 'IDEMPOTENCY_TTL_HOURS'>): number {
  return IDEMPOTENCY_TTL_HOURS * 60 * 60 * 1000;
}

/** Returns the use cases of orders and customers on a database, whose clock is that of all components. */
export function domainOf(config: Config, database: OrdersDatabase, now: Clock['now']): Domain<OrderDefinition> {
  return createDomain({
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    clock: { now },
    ids: { next: randomUUIDv7 },
    idempotencyTtlMs: idempotencyTtlOf(config),
  });
}
