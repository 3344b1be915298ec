import type { AbortSignalLike } from './abort-signal.ts';

/** The timers and the performance clock that Node.js, Bun, Deno and browsers have. */
declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timeout: unknown): void;
declare const performance: { now(): number };
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** Longer timeouts would end at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Port: measures and spends time between two attempts. */
export interface Timer {
  /** Returns the milliseconds since any fixed time. Never decreases. */
  now(): number;
  /** Resolves after `ms` milliseconds, and at once when `signal` is aborted. Never rejects. */
  pause(ms: number, signal?: AbortSignalLike): Promise<void>;
  /** Returns a random number from 0 to less than 1, by which pauses of several readers differ. */
  random(): number;
}

/** The timer of the runtime. */
export const systemTimer: Timer = Object.freeze({
  now: () => performance.now(),
  pause: (ms: number, signal?: AbortSignalLike) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timeout = setTimeout(finish, Math.min(ms, TIMEOUT_MAX_MS));
      return signal?.addEventListener('abort', finish);
    }),
  random: () => (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) / 256,
});
