import type { CustomerRepository } from './customers/customer-repository.ts';
import type { DefaultDefinition, OrderDefinition } from './orders/order-lifecycle.ts';
import type { OrderRepository } from './orders/order-repository.ts';
import type { Clock } from './shared/clock.ts';
import type { IdSource } from './shared/ids.ts';

/** The adapters and settings that the use cases depend on. */
export interface Ports<D extends OrderDefinition = DefaultDefinition> {
  readonly orders: OrderRepository<D>;
  readonly customers: CustomerRepository;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Time until an idempotency key expires, in milliseconds. Default: {@link IDEMPOTENCY_TTL_MS_DEFAULT}. */
  readonly idempotencyTtlMs?: number | undefined;
}

/** {@link Ports} whose orders state their definition. */
export interface DefinedPorts<D extends OrderDefinition = OrderDefinition> extends Ports<D> {
  readonly orders: OrderRepository<D> & { readonly definition: D };
}
