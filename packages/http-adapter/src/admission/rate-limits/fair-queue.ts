/** Admits a few at a time; those who wait take turns by their keys. */
export interface FairQueue {
  /** Resolves with true once admitted, whereupon `leave` has to be called; with false when the wait is over or there is no room to wait. */
  readonly enter: (key: string) => Promise<boolean>;
  readonly leave: () => void;
}

interface Limits {
  /** How many are admitted at a time. */
  readonly concurrency: number;
  /** How long each waits at most, in milliseconds. */
  readonly waitMs: number;
  /** How many wait at most. */
  readonly waitingMax: number;
  /** How many of one key wait at most, so that one key cannot take the room of the others. */
  readonly waitingMaxOfKey: number;
}

interface Waiting {
  readonly admit: () => void;
}

/** Keys take turns; of one key the first comes first. */
export function fairQueue({ concurrency, waitMs, waitingMax, waitingMaxOfKey }: Limits): FairQueue {
  // The key whose turn is next comes first.
  const byKey = new Map<string, Set<Waiting>>();
  let admitted = 0;
  let waiting = 0;

  const remove = (key: string, one: Waiting): void => {
    const same = byKey.get(key);
    if (!same?.delete(one)) return;
    waiting -= 1;
    if (same.size === 0) byKey.delete(key);
  };

  const wait = (key: string): Promise<boolean> => {
    const same = byKey.get(key) ?? new Set();
    if (waiting >= waitingMax || same.size >= waitingMaxOfKey) return Promise.resolve(false);
    byKey.set(key, same);
    waiting += 1;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        remove(key, one);
        resolve(false);
      }, waitMs);
      const one: Waiting = {
        admit: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      same.add(one);
    });
  };

  return {
    enter: (key) => {
      if (admitted >= concurrency) return wait(key);
      admitted += 1;
      return Promise.resolve(true);
    },
    leave: () => {
      const [turn] = byKey;
      const [next] = turn?.[1] ?? [];
      if (!turn || !next) {
        admitted -= 1;
        return;
      }
      const [key, same] = turn;
      remove(key, next);
      // Behind the other keys.
      if (byKey.delete(key)) byKey.set(key, same);
      next.admit();
    },
  };
}
