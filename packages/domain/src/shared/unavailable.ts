import type { ResultAsync } from 'neverthrow';

/**
 * Error: the store could not be reached, or did not respond. A write may or may not have happened; a retry with the
 * same idempotency key is safe.
 */
export interface Unavailable {
  readonly type: 'unavailable';
  /** The underlying error, for logs only; it must not be shown to a client. */
  readonly cause: unknown;
}

/**
 * Error: a bug, such as a parser of custom data that throws. Only the result of one of several inputs is this error, so that
 * the others keep theirs. A write may or may not have happened.
 */
export interface InternalError {
  readonly type: 'internal_error';
  /** What was thrown, for logs only; it must not be shown to a client. */
  readonly cause: unknown;
}

/** Returns the value of a result. Throws the cause of an error. */
export async function valueOf<T>(result: ResultAsync<T, Unavailable>): Promise<T> {
  const settled = await result;
  if (settled.isErr()) throw settled.error.cause;
  return settled.value;
}
