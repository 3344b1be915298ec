import type { Timer } from '../options.ts';

/** The timer of the runtime. Looks up its functions for each call, because tools that control time replace them. */
export const systemTimer: Timer = {
  now: () => performance.now(),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timeout = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
  random: () => Math.random(),
};
