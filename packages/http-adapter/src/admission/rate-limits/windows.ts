import type { Counted } from './rate-limit-store.ts';

/** Windows of one length in the memory of this process. A live window is never evicted. */
export interface Windows {
  /** Counts one request under `key`; `undefined` when `key` has no window and there is no room for another. */
  readonly count: (key: string) => Counted | undefined;
  /** Returns the count under `key` so far, 0 without a window; `undefined` where `count` returns that. */
  readonly current: (key: string) => number | undefined;
  /** Records what another store has counted under `key`, if there is room. */
  readonly record: (key: string, counted: Counted) => void;
}

/** The most windows that one call discards: more than one, so that memory is freed, and few, so that no call is slow. */
const DISCARDED_MAX = 8;

interface Window {
  readonly key: string;
  count: number;
  end: number;
  /** The window that was begun next. */
  next: Window | undefined;
}

/**
 * Keeps at most `max` windows of `windowMs` milliseconds. They are queued in the order of their beginnings, which is
 * that of their ends: those to discard are found without a search.
 */
export function windows(max: number, windowMs: number, now: () => Date): Windows {
  const byKey = new Map<string, Window>();
  let first: Window | undefined;
  let last: Window | undefined;
  let queued = 0;

  // A window that ends later than a new one would was begun before the clock was set back.
  const isOpen = ({ end }: Window, time: number): boolean => end > time && end <= time + windowMs;

  const openAt = (key: string, time: number): Window | undefined => {
    const window = byKey.get(key);
    return window && isOpen(window, time) ? window : undefined;
  };

  const hasRoom = (time: number): boolean => {
    for (let discarded = 0; first && discarded < DISCARDED_MAX && !isOpen(first, time); discarded += 1) {
      // Its key may have begun anew since.
      if (byKey.get(first.key) === first) byKey.delete(first.key);
      first = first.next;
      queued -= 1;
    }
    return queued < max;
  };

  const begin = (key: string, end: number): Window => {
    const window: Window = { key, count: 0, end, next: undefined };
    byKey.set(key, window);
    if (first && last) last.next = window;
    else first = window;
    last = window;
    queued += 1;
    return window;
  };

  return {
    count: (key) => {
      const time = now().getTime();
      const window = openAt(key, time) ?? (hasRoom(time) ? begin(key, time + windowMs) : undefined);
      if (!window) return undefined;
      window.count += 1;
      return { count: window.count, resetMs: window.end - time };
    },
    current: (key) => {
      const time = now().getTime();
      return openAt(key, time)?.count ?? (hasRoom(time) ? 0 : undefined);
    },
    record: (key, { count, resetMs }) => {
      const time = now().getTime();
      const window = openAt(key, time) ?? (hasRoom(time) ? begin(key, time + windowMs) : undefined);
      if (!window) return;
      window.count = count;
      window.end = Math.min(time + resetMs, time + windowMs);
    },
  };
}
