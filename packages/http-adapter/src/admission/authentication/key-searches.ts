import { hash } from 'node:crypto';

/** The budget of fetches for unknown keys, and the interval in which it gains one. */
const SEARCHES_MAX = 5;
const SEARCH_INTERVAL_MS = 6000;
/** The part of the budget that is left to addresses below the limit of requests without valid credentials. */
const RESERVED = 1;
/** How long an absent key causes no other fetch. */
const ABSENT_MS = 30_000;
/** Maximum number of keys recorded as absent. Beyond it the oldest is evicted. */
const ABSENT_MAX = 1000;

/**
 * Limits the fetches of a key set that unknown keys cause. Keeps a budget of five fetches that gains one every six seconds, and records which keys are absent. A client with an old
 * key causes two fetches per minute. Any number of invented keys causes at most ten, which issuers tolerate. Each fetch
 * returns every key of the issuer, so a new key is found within six seconds, even if the budget is used up. Addresses that
 * have sent too many invalid credentials cannot take the last fetch, and find a new key within twelve seconds.
 */
export function keySearches(now: () => Date) {
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
    /** Takes one fetch from the budget. Returns false if no fetch is left for such an address. */
    take: (isAboveLimit: boolean): boolean => {
      gain(now().getTime());
      if (left <= (isAboveLimit ? RESERVED : 0)) return false;
      left -= 1;
      return true;
    },
    /** Records that the issuer does not have a key. */
    ruleOut: (key: string): void => {
      const id = idOf(key);
      absent.delete(id);
      const [oldest] = absent.keys();
      if (absent.size >= ABSENT_MAX && oldest !== undefined) absent.delete(oldest);
      absent.set(id, now().getTime());
    },
    /** Whether the issuer did not have a key less than thirty seconds ago. */
    isRuledOut: (key: string): boolean => {
      const since = absent.get(idOf(key));
      const age = since === undefined ? -1 : now().getTime() - since;
      return age >= 0 && age < ABSENT_MS;
    },
  };
}

/** Returns a short id of fixed length, because the name of a key may be as long as a token. */
function idOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
