/**
 * Error: the store could not be reached, or did not respond. A write may or may not have happened; a retry with the
 * same idempotency key is safe.
 */
export interface Unavailable {
  readonly type: 'unavailable';
  /** The underlying error, for logs only; it must not be shown to a client. */
  readonly cause: unknown;
}
