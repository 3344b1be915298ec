import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work`. When the signal is aborted, calls `stop`, waits up to `graceMs` for the work to end, and rejects with
 * the signal's reason. Work that succeeds within the grace period counts as successful.
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

/** Waits for `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
