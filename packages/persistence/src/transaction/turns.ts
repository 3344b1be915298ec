/** Runs work one after the other. */
export interface Turns {
  /** Runs `work` after everything that was passed before it, whatever became of that. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Waits until everything has ended, and also what was passed as a consequence. */
  idle(): Promise<void>;
}

/** Returns turns for the statements of one connection, which PostgreSQL also executes one after the other. */
export function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const result = last.then(work);
      last = result.catch(() => undefined);
      return result;
    },
    idle: async () => {
      let awaited: Promise<unknown> | undefined;
      while (awaited !== last) {
        awaited = last;
        await awaited;
        // A use case continues with its next statement within the same turn of the event loop.
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
}
