/** Every policy by which requests are counted. The one named `options` has the limit of `public`. */
export const RATE_LIMIT_POLICIES = Object.freeze(['read', 'write', 'anonymous', 'public', 'options'] as const);

/** A policy by which requests are counted. */
export type RateLimitPolicy = (typeof RATE_LIMIT_POLICIES)[number];

/**
 * Receives events that an operator may want to count. Its methods are called while requests wait: they must return at
 * once and never throw.
 */
export interface OrdersHttpObserver {
  /** A request was rejected because its owner or address exceeded the limit of `policy`. */
  rateLimited(policy: RateLimitPolicy): void;
  /** A request was counted in this process, because the store of rate limits does not answer. */
  rateLimitStorePassedOver(): void;
  /** A request was refused because there is too much to do. */
  loadShed(): void;
  /** A request was rejected because its owner has too many unread response bytes. */
  unreadLimited(): void;
  /** A connection was destroyed because its client did not read the responses. */
  connectionCut(): void;
  /** Requests that a client sent behind the end of their connection were discarded. */
  requestsDiscarded(count: number): void;
}

/** The default: a no-op. */
export const UNOBSERVED: OrdersHttpObserver = {
  rateLimited: () => undefined,
  rateLimitStorePassedOver: () => undefined,
  loadShed: () => undefined,
  unreadLimited: () => undefined,
  connectionCut: () => undefined,
  requestsDiscarded: () => undefined,
};
