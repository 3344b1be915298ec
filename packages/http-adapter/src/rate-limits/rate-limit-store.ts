/** What a store counted in a window, the last request with it. */
export interface Counted {
  readonly count: number;
  /** Milliseconds until the window ends and the count begins anew. */
  readonly resetMs: number;
}

/** Where requests are counted: in windows of a fixed length, each beginning with the first request counted in it. */
export interface RateLimitStore {
  /** Counts one request under `key`. It may throw or reject. */
  count(key: string, windowMs: number): Counted | Promise<Counted>;
}
