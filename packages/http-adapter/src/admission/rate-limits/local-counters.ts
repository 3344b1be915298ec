import { widerKey } from './address-key.ts';
import type { Counted } from './rate-limit-store.ts';
import { windows } from './windows.ts';

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
