import type { Awaitable } from '../../value-or-promise.ts';

/** Limits of requests per minute. Each limit is counted separately; `0` turns it off. */
export interface RateLimitOptions {
  /** Reads of one owner, with any of its credentials. Default: 600. */
  readonly read?: number | undefined;
  /** Writes of one owner, with any of its credentials. Default: 120. */
  readonly write?: number | undefined;
  /** Orders that one owner places or imports in batches, with any of its credentials. Default: 3,000. */
  readonly batch?: number | undefined;
  /** Requests without valid credentials from one address (IPv6: from one /64). Default: 60. */
  readonly anonymous?: number | undefined;
  /**
   * Requests from one address that need no credentials: pages, unknown paths and unsupported methods. The same limit
   * applies separately to OPTIONS requests. Default: 600.
   */
  readonly public?: number | undefined;
  /** Store for counts that several servers share. Default, and while it fails: the memory of this process. */
  readonly store?: RateLimitStore | undefined;
}

/** Default limits of requests per minute. */
export const RATE_LIMITS_DEFAULT = Object.freeze({
  read: 600,
  write: 120,
  batch: 3000,
  anonymous: 60,
  public: 600,
} as const);

/** The count of a window, including what was just to be counted, even if it was not because it exceeds the quota. */
export interface Counted {
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** What to count: `cost`, unless the count would then exceed `quota`. */
export interface Charge {
  /** 1 for a request, more for one that counts as several. */
  readonly cost: number;
  readonly quota: number;
}

/** Counts requests in windows of a fixed length. A window begins with its first request. */
export interface RateLimitStore {
  /**
   * Counts a charge under `key`, in a window of `windowMs` milliseconds, as a whole or not at all. While it throws,
   * rejects, or takes longer than 100 ms, charges are counted in the memory of the process.
   */
  count(key: string, windowMs: number, charge: Charge): Awaitable<Counted>;
}
