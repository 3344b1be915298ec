import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeRetried } from './postgres-errors.ts';

/** How often a statement or transaction is sent, the first time included. */
const ATTEMPTS = 3;

/** The longest wait before the second attempt, in milliseconds; it doubles with each further one. */
const WAIT_MS = 20;

/** The longest wait before any attempt, in milliseconds. */
const WAIT_MAX_MS = 320;

/**
 * Returns how long to wait after a failed attempt, counted from 1, in milliseconds: any time up to the longest, so that
 * the writes that met do not meet again.
 */
export function jitter(attempt: number): number {
  return Math.random() * Math.min(WAIT_MS * 2 ** (attempt - 1), WAIT_MAX_MS);
}

/** Does `work`, again after a while when it certainly had no effect, such as having been a deadlock's victim. */
export function retried<T>(work: () => Promise<T>, attempt = 1): Promise<T> {
  return work().catch(async (cause: unknown) => {
    if (attempt === ATTEMPTS || !mayBeRetried(cause)) throw cause;
    await sleep(jitter(attempt));
    return await retried(work, attempt + 1);
  });
}
