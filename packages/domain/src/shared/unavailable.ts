/**
 * The store could not be asked, or did not answer. A write may or may not have happened: asking again under the same
 * idempotency key is safe.
 */
export interface Unavailable {
  readonly type: 'unavailable';
  /** What happened, for the log; never shown to a client. */
  readonly cause: unknown;
}
