import type { Awaitable } from '../../awaitable.ts';

/** What a store counted in a window, the last request with it. */
export interface Counted {
  readonly count: number;
  /** Milliseconds until the window ends and the count begins anew. */
  readonly resetMs: number;
}

/** Where requests are counted: in windows of a fixed length, each beginning with the first request counted in it. */
export interface RateLimitStore {
  /**
   * Counts one request under `key`, in a window of `windowMs` milliseconds. While it throws, rejects, or takes longer
   * than 100 ms, requests are counted in the memory of the process.
   */
  count(key: string, windowMs: number): Awaitable<Counted>;
}
