interface Limits {
  /** Maximum number of callers admitted at the same time. */
  readonly concurrency: number;
  /** Maximum wait, in milliseconds. */
  readonly waitMs: number;
  /** Maximum number of waiting callers. */
  readonly waitingMax: number;
  /** Maximum number of waiting callers of one key, so that one key cannot fill the queue. */
  readonly waitingMaxOfKey: number;
}

/** Creates a queue that limits concurrency. It admits keys in turns, and callers of one key in order of arrival. */
export function fairQueue({ concurrency, waitMs, waitingMax, waitingMaxOfKey }: Limits) {
  /** The functions that admit those who wait, ordered by turn: the first key is next. */
  const byKey = new Map<string, Set<() => void>>();
  let admitted = 0;
  let waiting = 0;

  const remove = (key: string, one: () => void): void => {
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
      const one = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      same.add(one);
    });
  };

  return {
    /** Resolves with true when admitted; then call `leave`. Resolves with false after the maximum wait, or if the queue is full. */
    enter: (key: string): Promise<boolean> => {
      if (admitted >= concurrency) return wait(key);
      admitted += 1;
      return Promise.resolve(true);
    },
    leave: (): void => {
      const [turn] = byKey;
      const [admit] = turn?.[1] ?? [];
      if (!turn || !admit) {
        admitted -= 1;
        return;
      }
      const [key, same] = turn;
      remove(key, admit);
      // Moves the key behind the others.
      if (byKey.delete(key)) byKey.set(key, same);
      admit();
    },
  };
}
