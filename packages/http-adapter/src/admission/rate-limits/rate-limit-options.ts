import type { RateLimitStore } from './rate-limit-store.ts';

/** Limits of requests per minute. Each limit is counted separately; `0` turns it off. */
export interface RateLimitOptions {
  /** Reads of one owner, with any of its credentials. Default: 600. */
  readonly read?: number | undefined;
  /** Writes of one owner, with any of its credentials. Default: 120. */
  readonly write?: number | undefined;
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
export const RATE_LIMITS_DEFAULT = Object.freeze({ read: 600, write: 120, anonymous: 60, public: 600 } as const);
