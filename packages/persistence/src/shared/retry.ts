import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from './postgres-errors.ts';

/** Maximum number of attempts of a statement or transaction, including the first. */
const ATTEMPTS = 3;

/** Maximum wait before the second attempt, in milliseconds. It doubles with each further attempt. */
const WAIT_MS = 20;

/** Maximum wait before any attempt, in milliseconds. */
const WAIT_MAX_MS = 320;

/**
 * Returns the wait after failed attempt number `attempt`, counted from 1, in milliseconds. It is random up to the
 * maximum, so that conflicting writes do not conflict again.
 */
export function jitter(attempt: number): number {
  return Math.random() * Math.min(WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS);
}

/** Runs `work` again after it failed with `cause`, if that certainly had no effect, for instance as a deadlock's victim. */
export async function retry<T>(work: () => Promise<T>, cause: unknown, attempt = 1): Promise<T> {
  if (attempt === ATTEMPTS || !isRetryable(cause)) throw cause;
  await sleep(jitter(attempt));
  return await work().catch((next: unknown) => retry(work, next, attempt + 1));
}
