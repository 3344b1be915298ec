/**
 * The names of all rate-limit policies. `options` has the same limit as `public`, and `operator` counts whatever an operator
 * does.
 */
export const RATE_LIMIT_POLICIES = Object.freeze([
  'read',
  'write',
  'batch',
  'anonymous',
  'public',
  'options',
  'operator',
] as const);

/** The name of a rate-limit policy. */
export type RateLimitPolicy = (typeof RATE_LIMIT_POLICIES)[number];

/** The name of a policy that counts what owners do. */
export type OwnerPolicy = Extract<RateLimitPolicy, 'read' | 'write' | 'batch'>;

/**
 * Receives events that operators count, for example as metrics. The methods are called while requests wait, so they must
 * return immediately and must not throw.
 */
export interface OrdersHttpObserver {
  /** A request was rejected because its owner or address exceeded the limit of `policy`. */
  rateLimited(policy: RateLimitPolicy): void;
  /** A request was counted in this process, because the shared rate-limit store failed. */
  rateLimitStorePassedOver(): void;
  /** A request was rejected because the server is overloaded. */
  loadShed(): void;
  /** A request was rejected because its owner has too many unread response bytes. */
  unreadLimited(): void;
  /**
   * The owner that used most of the event loop, or an address without one, used it for `ms` milliseconds in a period. Called
   * by the first request after the end of a period, which lasts for five seconds at least.
   */
  busiestOwner(ms: number): void;
  /** A request began or ended to wait for events; `count` requests wait now. */
  eventWaiters(count: number): void;
}

/** Receives events of the connections of a server, like an {@link OrdersHttpObserver}. */
export interface ConnectionObserver {
  /** A connection was destroyed because its client did not read the responses. */
  connectionCut(): void;
  /** Requests that arrived after the last response of their connection were discarded. */
  requestsDiscarded(count: number): void;
}

/** The default observer: a no-op. */
export const UNOBSERVED: OrdersHttpObserver & ConnectionObserver = {
  rateLimited: () => undefined,
  rateLimitStorePassedOver: () => undefined,
  loadShed: () => undefined,
  unreadLimited: () => undefined,
  busiestOwner: () => undefined,
  connectionCut: () => undefined,
  requestsDiscarded: () => undefined,
  eventWaiters: () => undefined,
};
