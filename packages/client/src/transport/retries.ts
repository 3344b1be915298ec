import type { Timer } from '../options.ts';

/** Default of the longest `Retry-After` that is waited for, in milliseconds: the window of a server's rate limits. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** Statuses of servers, proxies and content delivery networks that may have another response later. */
const RETRYABLE = /^(408|425|429|50[234]|52[0-4])$/;

const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 8000;

/** Longer timeouts would end at once. */
export const TIMEOUT_MS_MAX = 2 ** 31 - 1;

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
      const timeout = setTimeout(done, Math.min(ms, TIMEOUT_MS_MAX));
      signal?.addEventListener('abort', done);
    }),
  random: () => Math.random(),
};

/** Whether the same request may have another response later. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.test(String(status));
}

/** Returns the wait before retry number `retry`, counted from 0, in milliseconds: exponential, with full jitter. */
export function backoffMs(retry: number, timer: Timer): number {
  return timer.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** retry);
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3), seconds or a date, into milliseconds; `null` if it is neither. */
export function retryAfterMs(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Only the form of HTTP, as `Date.parse` accepts nearly everything.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
