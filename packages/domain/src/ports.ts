import type { CustomerRepository } from './customers/customer-repository.ts';
import type { OrderRepository } from './orders/order-repository.ts';
import type { Clock } from './shared/clock.ts';
import type { IdSource } from './shared/ids.ts';

/** The adapters and settings that the use cases depend on. */
export interface Ports {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Time until an idempotency key expires, in milliseconds. Default: {@link IDEMPOTENCY_TTL_MS_DEFAULT}. */
  readonly idempotencyTtlMs?: number | undefined;
}
