/** The members of an `AbortSignal` that the client needs. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Measures and spends time. The `Timer` of `@orders/domain/events` fits. */
export interface Timer {
  /** Returns the milliseconds since any fixed time. Never decreases. */
  now(): number;
  /** Resolves after `ms` milliseconds, and at once when `signal` is aborted. Never rejects. */
  pause(ms: number, signal?: AbortSignalLike): Promise<void>;
  /** Returns a random number from 0 to less than 1, by which the pauses of several clients differ. */
  random(): number;
}

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request and its retries when it is aborted; the result is `unreachable` with the reason `aborted`. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Options of changes. */
export interface ChangedBy {
  /**
   * Your opaque id of the user for whom you make the changes, which is recorded with each: 1 to 255 printable ASCII
   * characters without `@`, and without a space at an end. Default: that of the client, or else unknown.
   */
  readonly externalUserId?: string | undefined;
}

/** Options of a write. */
export interface WriteOptions extends RequestOptions, ChangedBy {
  /**
   * Key of this write, 1 to 255 visible ASCII characters. Every retry sends it, and the write takes effect once. Default:
   * a new random one, which the result has.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a change or deletion. */
export interface ChangeOptions extends WriteOptions {
  /** Fails with `precondition_failed` unless the resource has this version. Default: any version. */
  readonly ifVersion?: number | undefined;
}

/** What every result of a write has. */
export interface Written {
  /** Key that the write was sent with. */
  readonly idempotencyKey: string;
  /** Whether an earlier write with this key took effect, and this is its recorded result. */
  readonly replayed: boolean;
}

/** Credentials: an API key, or a bearer token, which is read again for every request if it is a function. */
export type Credentials =
  | { readonly apiKey: string }
  | { readonly bearerToken: string | (() => string | Promise<string>) };

/** Options of `createOrdersClient`. */
export interface ClientOptions extends ChangedBy {
  /** URL of the server, such as `https://orders.example.com`, with the prefix of the API if it has one. */
  readonly baseUrl: string | URL;
  /** Default: none, for a server that identifies clients by certificates. */
  readonly credentials?: Credentials | undefined;
  /** Maximum number of retries of a request, 0 to 10. Default: 2. */
  readonly retries?: number | undefined;
  /** Maximum time of one attempt until its response is complete, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Longest `Retry-After` that a retry waits for, in milliseconds. A longer one ends the retries at once. Default: 60,000, the
   * window of a server's rate limits.
   */
  readonly maxRetryAfterMs?: number | undefined;
  /** Maximum size of a response, in bytes. Default: 32 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Sends requests, such as the `fetch` of undici with a dispatcher. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Ends attempts and pauses before retries, such as that of a simulation. Default: that of the runtime. */
  readonly timer?: Timer | undefined;
}
