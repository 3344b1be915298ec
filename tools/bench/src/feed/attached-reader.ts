import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from './feed-client.ts';

/** How a reader follows the feed: by long polls, or by a poll per second. */
export type Following = 'long polls' | 'a poll per second';

/** A reader that follows the feed of an owner. */
export interface AttachedReader {
  /** Waits until the reader has received the event at a position. */
  reached(position: number): Promise<void>;
  stop(): Promise<void>;
}

const LIMIT = 100;
const PAUSE_MS = 1000;
const CHECK_MS = 5;

/** The longest accepted delay of an event in milliseconds. */
const REACHED_MS = 60_000;

export function attachReader(port: number, apiKey: string, after: string, following: Following): AttachedReader {
  const stop = new AbortController();
  let nudge = new AbortController();
  let position = 0;
  let failure: Error | undefined;
  const follow = async (): Promise<void> => {
    for (let cursor = after; !stop.signal.aborted;) {
      const wait = following === 'long polls' ? 20 : 0;
      const page = await readEvents(port, apiKey, `after=${cursor}&limit=${LIMIT}&wait=${wait}`, stop.signal);
      cursor = page.next;
      position = page.positions.at(-1) ?? position;
      if (wait > 0 || !page.caughtUp) continue;
      await sleep(PAUSE_MS, undefined, { signal: nudge.signal }).catch(() => undefined);
    }
  };
  const following_ = follow().catch((cause: unknown) => {
    if (!stop.signal.aborted) failure = new Error('a reader of events failed', { cause });
  });
  return {
    reached: async (wanted) => {
      const deadline = performance.now() + REACHED_MS;
      // Without the rest of a pause, in which nothing happens.
      nudge.abort();
      while (position < wanted) {
        if (failure) throw failure;
        if (performance.now() > deadline) throw new Error(`a reader is at ${position} instead of ${wanted}`);
        await sleep(CHECK_MS);
      }
      nudge = new AbortController();
    },
    stop: async () => {
      stop.abort();
      nudge.abort();
      await following_;
    },
  };
}
