import { setTimeout as sleep } from 'node:timers/promises';
import { jitter } from '../postgres/retry.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import { isResult } from '@orders/domain/runtime';

/** Options of {@link retried}. */
export interface RetryOptions {
  /** Maximum number of attempts. Default: 5. */
  readonly attempts?: number | undefined;
  /**
   * Whether each write of the work has an idempotency key, and nothing else of it must not be repeated. Then it is also run
   * again after an unknown outcome. Default: `false`.
   */
  readonly isIdempotent?: boolean | undefined;
}

/**
 * Runs a transaction again while it fails with a {@link TransactionFailed} that is `retryable`, after a short random wait: one
 * that `work` returns as an error, or throws, also as a `cause`. Returns or throws what the last attempt did.
 *
 * @param work the whole transaction, such as `() => database.transaction(…)`
 * @throws {RangeError} `attempts` is no whole number from 1
 */
export async function retried<T>(
  work: () => PromiseLike<T>,
  { attempts = 5, isIdempotent = false }: RetryOptions = {},
): Promise<T> {
  if (!Number.isInteger(attempts) || attempts < 1) throw new RangeError('attempts must be a whole number from 1');
  const run = async (): Promise<T> => await work();
  for (let attempt = 1; ; attempt += 1) {
    const [outcome] = await Promise.allSettled([run()]);
    const failure = failureIn(outcome.status === 'rejected' ? outcome.reason : errorOf(outcome.value));
    const isRepeatable = failure?.retryable || (isIdempotent && failure?.outcome === 'unknown');
    if (attempt === attempts || !isRepeatable) {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
    await sleep(jitter(attempt));
  }
}

function errorOf(value: unknown): unknown {
  return isResult(value) && value.isErr() ? value.error : undefined;
}

/** Returns the failure that an error is, or has as its cause. */
function failureIn(error: unknown): TransactionFailed | null {
  if (error instanceof TransactionFailed) return error;
  return typeof error === 'object' && error !== null && 'cause' in error ? failureIn(error.cause) : null;
}
