import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` until the signal is aborted: then calls `stop`, waits `graceMs` more for the end of the work, and rejects
 * with the signal's reason. Work that succeeds within the grace counts.
 */
export function abortable<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  stop: () => void = () => undefined,
  graceMs = 0,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const fail = (cause: unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chose the reason
      reject(signal.aborted ? signal.reason : cause);
    };
    if (signal.aborted) return fail(undefined);
    let grace: NodeJS.Timeout | undefined;
    const abort = () => {
      grace = setTimeout(fail, graceMs);
      stop();
    };
    signal.addEventListener('abort', abort, { once: true });
    work()
      .then(resolve, fail)
      .finally(() => {
        clearTimeout(grace);
        signal.removeEventListener('abort', abort);
      });
  });
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
