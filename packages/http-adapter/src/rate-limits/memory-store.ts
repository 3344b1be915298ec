import type { RateLimitStore } from './rate-limit-store.ts';

/** The most windows that are remembered. Beyond it the older half is forgotten. */
const WINDOWS_MAX = 100_000;

interface Window {
  count: number;
  readonly end: number;
}

/** Counts in the memory of this process. */
export function countInMemory(now: () => Date): RateLimitStore {
  // Windows are forgotten by the half: to look for the oldest each time takes long.
  let young = new Map<string, Window>();
  let old: ReadonlyMap<string, Window> = new Map();

  const begin = (key: string, end: number): Window => {
    if (young.size >= WINDOWS_MAX / 2) {
      old = young;
      young = new Map();
    }
    const window = { count: 0, end };
    young.set(key, window);
    return window;
  };

  return {
    count: (key, windowMs) => {
      const time = now().getTime();
      const known = young.get(key) ?? old.get(key);
      // One that ends later than a window can was begun before the clock was set back.
      const open = known && known.end > time && known.end <= time + windowMs;
      const window = open ? known : begin(key, time + windowMs);
      window.count += 1;
      return { count: window.count, resetMs: window.end - time };
    },
  };
}
