import type { RateLimitPolicy } from './rate-limits/rate-limits.ts';

/** Told of what an operator may want to count. Called while requests wait: it returns at once and never throws. */
export interface OrdersHttpObserver {
  /** A request was refused because its owner or address asked too often. */
  rateLimited(policy: RateLimitPolicy): void;
  /** A request was counted in this process, because the store of rate limits does not answer. */
  rateLimitStorePassedOver(): void;
  /** A request was refused because there is too much to do. */
  loadShed(): void;
}

/** Takes no notice. */
export const UNOBSERVED: OrdersHttpObserver = {
  rateLimited: () => undefined,
  rateLimitStorePassedOver: () => undefined,
  loadShed: () => undefined,
};
