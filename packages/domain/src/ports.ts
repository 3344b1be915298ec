import type { CustomerRepository } from './customers/customer-repository.ts';
import type { OrderRepository } from './orders/order-repository.ts';
import type { Clock } from './shared/clock.ts';
import type { IdSource } from './shared/ids.ts';

/** What the use cases need from outside. */
export interface Ports {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How long an idempotency key is remembered, in milliseconds. Default {@link IDEMPOTENCY_TTL_MS_DEFAULT}. */
  readonly idempotencyTtlMs?: number | undefined;
}
