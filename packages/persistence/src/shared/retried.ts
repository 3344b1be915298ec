import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeRetried } from './postgres-errors.ts';

/** How often a statement or transaction is sent, the first time included. */
const ATTEMPTS = 3;

/** The longest wait before the second attempt, in milliseconds; it doubles with each further one. */
const WAIT_MS = 20;

/** Does `work`, again after a while when it certainly had no effect, such as having been a deadlock's victim. */
export function retried<T>(work: () => Promise<T>, attempt = 1): Promise<T> {
  return work().catch(async (cause: unknown) => {
    if (attempt === ATTEMPTS || !mayBeRetried(cause)) throw cause;
    // Any wait up to the longest, so that those who met do not meet again.
    await sleep(Math.random() * WAIT_MS * 2 ** (attempt - 1));
    return await retried(work, attempt + 1);
  });
}
