import { widerKey } from './address-key.ts';
import type { Counted } from './rate-limit-options.ts';

/** Maximum number of windows of owners, per policy. */
export const OWNER_WINDOWS_MAX = 100_000;

/** Maximum number of windows of addresses, of their networks, and of the next wider networks, per policy. */
export const ADDRESS_WINDOWS_MAX = [50_000, 10_000, 10_000] as const;

/** Counts the requests of one policy in the memory of this process. */
export interface LocalCounter {
  /** `cost`: that of a request that counts as several. Default: 1. `quota`: of the key. Default: that of all. */
  count(key: string, cost?: number, quota?: number): Counted;
  /** Returns the count that the next request under `key` will be added to. */
  current(key: string): number;
  /** Records the count of another store under `key`. */
  record(key: string, counted: Counted): void;
}

/**
 * Counts requests of owners. Owners never share a window: while {@link OWNER_WINDOWS_MAX} windows exist, requests of further
 * owners are not counted. A window then ends about every millisecond, so an owner with many requests soon gets one.
 */
export function ownerCounter(windowMs: number, now: () => Date, quota?: number): LocalCounter {
  const owners = windows(OWNER_WINDOWS_MAX, windowMs, now, quota);
  return {
    count: (owner, cost = 1, own) => owners.count(owner, cost, own) ?? { count: cost, resetMs: windowMs },
    current: (owner) => owners.current(owner) ?? 0,
    record: (owner, counted) => owners.record(owner, counted),
  };
}

/**
 * Counts requests of addresses, by the keys of `addressKey`. The number of windows is limited, because a client with many
 * networks could fill the memory. While {@link ADDRESS_WINDOWS_MAX} windows exist, a further address shares the window of
 * its network, then of the next wider network, and at last of all addresses. So no window is evicted, and an address
 * cannot escape its limit.
 */
export function addressCounter(windowMs: number, now: () => Date, quota?: number): LocalCounter {
  const levels = ADDRESS_WINDOWS_MAX.map((max) => windows(max, windowMs, now, quota));
  const rest = windows(1, windowMs, now, quota);
  /** Returns what the first level returns that has a window for an address or its network. */
  const first = <T>(address: string, read: (level: Windows, key: string) => T | undefined): T | undefined => {
    let key = address;
    for (const level of levels) {
      const found = read(level, key);
      if (found !== undefined) return found;
      key = widerKey(key);
    }
    return read(rest, '');
  };
  return {
    count: (address, cost = 1) =>
      first(address, (level, key) => level.count(key, cost)) ?? { count: cost, resetMs: windowMs },
    current: (address) => first(address, (level, key) => level.current(key)) ?? 0,
    record: (address, counted) => levels[0]?.record(address, counted),
  };
}

/** Counting windows of equal length in memory. A window that has not ended is never evicted. */
export interface Windows {
  /**
   * Counts a request under `key`, unless the count would exceed the quota. Returns `undefined` if `key` has no window and no
   * further window fits.
   */
  readonly count: (key: string, cost?: number, quota?: number) => Counted | undefined;
  /** Returns the current count under `key`, or 0 without a window. Returns `undefined` if `count` would. */
  readonly current: (key: string) => number | undefined;
  /** Records the count of another store under `key`, if a window fits. */
  readonly record: (key: string, counted: Counted) => void;
}

/** Maximum number of windows that one call discards: more than one, so that memory is freed; few, so that no call is slow. */
const DISCARDED_MAX = 8;

interface Window {
  readonly key: string;
  count: number;
  end: number;
  /** The window that began next. */
  next: Window | undefined;
}

/**
 * Keeps at most `max` windows of `windowMs` milliseconds. They are queued in the order in which they began, which is also
 * the order in which they end, so ended windows are found without a search.
 */
export function windows(max: number, windowMs: number, now: () => Date, quota = Number.POSITIVE_INFINITY): Windows {
  const byKey = new Map<string, Window>();
  let first: Window | undefined;
  let last: Window | undefined;
  let queued = 0;

  // A window that ends later than a new one would began before the clock was set back.
  const isOpen = ({ end }: Window, time: number): boolean => end > time && end <= time + windowMs;

  const openAt = (key: string, time: number): Window | undefined => {
    const window = byKey.get(key);
    return window && isOpen(window, time) ? window : undefined;
  };

  const hasRoom = (time: number): boolean => {
    for (let discarded = 0; first && discarded < DISCARDED_MAX && !isOpen(first, time); discarded += 1) {
      // The key may have a newer window.
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
    count: (key, cost = 1, own = quota) => {
      const time = now().getTime();
      const window = openAt(key, time) ?? (hasRoom(time) ? begin(key, time + windowMs) : undefined);
      if (!window) return undefined;
      const count = window.count + cost;
      if (count <= own) window.count = count;
      return { count, resetMs: window.end - time };
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
