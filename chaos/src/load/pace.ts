import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';

/** As many operations wait or are under way when clients are behind. */
const BEHIND = 8;

/** Lets clients do one operation more every `everyMs` until `work` is done, unless they are behind already. */
export async function keepBusy<T>(load: Load, everyMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const worked = work.finally(() => over.abort());
  // Whoever waits for the work hears of its failure.
  worked.catch(() => undefined);
  while (!over.signal.aborted) {
    if (load.left() < BEHIND) load.allow(1);
    await sleep(everyMs);
  }
  return await worked;
}
