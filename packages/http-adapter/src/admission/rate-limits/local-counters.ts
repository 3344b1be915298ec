import { widerKey } from './address-key.ts';
import type { Counted } from './rate-limit-store.ts';

/** The most windows of owners, for each policy. */
export const OWNER_WINDOWS_MAX = 100_000;

/** The most windows of addresses, of their networks, and of the networks of these, for each policy. */
export const ADDRESS_WINDOWS_MAX = [50_000, 10_000, 10_000] as const;

/** Counts the requests of one policy in the memory of this process. */
export interface LocalCounter {
  count(key: string): Counted;
  /** Returns the count that the next request under `key` will be added to. */
  current(key: string): number;
  /** Records what another store has counted under `key`. */
  record(key: string, counted: Counted): void;
}

/**
 * Counts owners. No owner pays for the others: while there are {@link OWNER_WINDOWS_MAX} windows, a further owner is not
 * counted. One window ends about every millisecond then, so that an owner with many requests soon gets one.
 */
export function ownerCounter(windowMs: number, now: () => Date): LocalCounter {
  const owners = windows(OWNER_WINDOWS_MAX, windowMs, now);
  return {
    count: (owner) => owners.count(owner) ?? { count: 1, resetMs: windowMs },
    current: (owner) => owners.current(owner) ?? 0,
    record: (owner, counted) => owners.record(owner, counted),
  };
}

/**
 * Counts addresses by the keys of `addressKey`. A client with many networks could fill any memory: while there are
 * {@link ADDRESS_WINDOWS_MAX} windows, a further address shares the window of its network, of the network of that, and in
 * the end one with all others. So no window is evicted, and an address whose requests are used up stays so.
 */
export function addressCounter(windowMs: number, now: () => Date): LocalCounter {
  const levels = ADDRESS_WINDOWS_MAX.map((max) => windows(max, windowMs, now));
  const rest = windows(1, windowMs, now);
  return {
    count: (address) => {
      let key = address;
      for (const level of levels) {
        const counted = level.count(key);
        if (counted) return counted;
        key = widerKey(key);
      }
      return rest.count('') ?? { count: 1, resetMs: windowMs };
    },
    current: (address) => {
      let key = address;
      for (const level of levels) {
        const current = level.current(key);
        if (current !== undefined) return current;
        key = widerKey(key);
      }
      return rest.current('') ?? 0;
    },
    record: (address, counted) => levels[0]?.record(address, counted),
  };
}

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
