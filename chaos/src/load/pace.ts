import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';

/** Maximum number of waiting and running operations when clients are slow. */
const BEHIND = 8;

/** Allows one further operation every `everyMs` until `work` ends, unless clients are too slow. */
export async function keepBusy<T>(load: Load, everyMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const worked = work.finally(() => over.abort());
  // The caller that awaits the work receives its failure.
  worked.catch(() => undefined);
  while (!over.signal.aborted) {
    if (load.left() < BEHIND) load.allow(1);
    await sleep(everyMs);
  }
  return await worked;
}
