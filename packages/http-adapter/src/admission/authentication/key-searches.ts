import { hash } from 'node:crypto';

/** How many fetches for unknown keys may follow one another at once, and how often there may be one more. */
const SEARCHES_MAX = 5;
const SEARCH_INTERVAL_MS = 6000;
/** For how long a key that the issuer did not have causes no other fetch. */
const ABSENT_MS = 30_000;
/** The most keys that are recorded as absent. Beyond it the one recorded first is discarded. */
const ABSENT_MAX = 1000;

/** Limits the fetches that unknown keys cause. */
export interface KeySearches {
  /** Takes one fetch from the budget; false when nothing is left of it. */
  take(): boolean;
  /** Records that the issuer does not have a key. */
  ruleOut(key: string): void;
  /** Whether the issuer did not have a key less than thirty seconds ago. */
  isRuledOut(key: string): boolean;
}

/**
 * Keeps a budget of five fetches that gains one every six seconds, and records which keys are absent. One client with
 * an old key costs two fetches a minute; any number of made-up keys cost ten, which is what issuers allow for.
 */
export function keySearches(now: () => Date): KeySearches {
  const absent = new Map<string, number>();
  let left = SEARCHES_MAX;
  let gainedAt = now().getTime();

  const gain = (time: number): void => {
    const gained = Math.floor((time - gainedAt) / SEARCH_INTERVAL_MS);
    // A clock that was set back begins a new interval.
    if (gained < 0 || left + gained >= SEARCHES_MAX) gainedAt = time;
    else gainedAt += gained * SEARCH_INTERVAL_MS;
    left = Math.min(SEARCHES_MAX, left + Math.max(0, gained));
  };

  return {
    take: () => {
      gain(now().getTime());
      if (left === 0) return false;
      left -= 1;
      return true;
    },
    ruleOut: (key) => {
      const id = idOf(key);
      absent.delete(id);
      const [oldest] = absent.keys();
      if (absent.size >= ABSENT_MAX && oldest !== undefined) absent.delete(oldest);
      absent.set(id, now().getTime());
    },
    isRuledOut: (key) => {
      const since = absent.get(idOf(key));
      const age = since === undefined ? -1 : now().getTime() - since;
      return age >= 0 && age < ABSENT_MS;
    },
  };
}

/** A name of one length, because that of a key may be as long as a token. */
function idOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
