import type { CustomerRepository } from './customers/customer-repository.ts';
import type { OrderRepository } from './orders/order-repository.ts';
import { type Clock, timestampOf } from './shared/clock.ts';
import type { IdSource } from './shared/ids.ts';
import type { Once } from './shared/idempotency.ts';
import type { ExpectedVersion } from './shared/version.ts';

/** What the use cases need from outside. */
export interface Ports {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How long an idempotency key is remembered, in milliseconds. Default {@link ONCE_TTL_MS_DEFAULT}. */
  readonly onceTtlMs?: number | undefined;
}

/** A day. */
export const ONCE_TTL_MS_DEFAULT = 24 * 60 * 60 * 1000;

/** What a caller may say of a write besides its values. */
export interface WriteOptions {
  /** Makes the write happen once: 1 to 255 visible ASCII characters, unique per owner. */
  readonly idempotencyKey?: string | undefined;
}

/** What a caller may say of a change or deletion besides its values. */
export interface ChangeOptions extends WriteOptions, ExpectedVersion {}

/** The record that a write with a key leaves, from now on. */
export function onceFor(ports: Ports, options: WriteOptions, fingerprint: () => string): Once | undefined {
  if (options.idempotencyKey === undefined) return undefined;
  const now = ports.clock.now().getTime();
  const ttl = ports.onceTtlMs ?? ONCE_TTL_MS_DEFAULT;
  return {
    key: options.idempotencyKey,
    fingerprint: fingerprint(),
    now: timestampOf(now),
    expires_at: timestampOf(now + ttl),
  };
}
