import { setTimeout as sleep } from 'node:timers/promises';

/** Options of work in the background. */
export interface BackgroundOptions {
  /**
   * Maximum wait between two runs, in milliseconds. The wait is random, so that servers that start together do not run
   * together.
   */
  readonly intervalMs: number;
  /** Receives the failure of a run; the next one follows nevertheless. */
  readonly failed: (cause: unknown) => void;
}

/** Runs `work` at once and then repeatedly, until stopped. The returned function aborts its signal and waits for its end. */
export function inBackground(
  work: (signal: AbortSignal) => Promise<void>,
  { intervalMs, failed }: BackgroundOptions,
): () => Promise<void> {
  const stop = new AbortController();
  const runUntilStopped = async () => {
    do {
      await work(stop.signal).catch(failed);
    } while (await sleepUnlessAborted(Math.random() * intervalMs, stop.signal));
  };
  const stopped = runUntilStopped();
  return async () => {
    stop.abort();
    await stopped;
  };
}

/** Waits for `ms` milliseconds; returns `false` when the signal is aborted. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false);
}
