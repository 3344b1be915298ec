import type { Awaitable } from '../../awaitable.ts';

/** The count of a window, including the request that was just counted. */
export interface Counted {
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counts requests in windows of a fixed length. A window begins with its first request. */
export interface RateLimitStore {
  /**
   * Counts one request under `key`, in a window of `windowMs` milliseconds. While it throws, rejects, or takes longer
   * than 100 ms, requests are counted in the memory of the process.
   */
  count(key: string, windowMs: number): Awaitable<Counted>;
}
