import type { FastifyBaseLogger } from 'fastify';
import type { Awaitable } from '../../value-or-promise.ts';
import { redactError } from '../../logging/redacted-error.ts';
import type { OrdersHttpObserver } from '../../observer.ts';
import type { Charge, Counted, RateLimitStore } from './rate-limit-options.ts';

/** Maximum time for the shared store to count a request, in milliseconds. */
const COUNT_TIMEOUT_MS = 100;

/** Interval between attempts while the shared store fails, in milliseconds. */
const PAUSE_MS = 1000;

/** An outage of the shared store: the number of requests that it did not count, and the time of the last attempt. */
type Outage = { passedOver: number; attemptedAt: number };

interface Counting {
  readonly charge: Charge;
  /** Counts in the memory of this process. */
  readonly countLocally: () => Counted;
  /** Receives the count of the shared store. */
  readonly counted: (counted: Counted) => void;
}

export type FallbackStore = ReturnType<typeof storeWithFallback>;

/**
 * Counts in `shared`. After a failure, one request per second, of any policy, tries it again, and all others are counted in
 * memory. The beginning and the end of an outage are logged.
 */
export function storeWithFallback(
  shared: RateLimitStore,
  now: () => Date,
  log: FastifyBaseLogger,
  observer: OrdersHttpObserver,
) {
  let outage: Outage | undefined;

  const isPaused = (): boolean => {
    if (!outage) return false;
    const pause = now().getTime() - outage.attemptedAt;
    // Negative after the clock was set back.
    if (pause >= 0 && pause < PAUSE_MS) return true;
    outage.attemptedAt = now().getTime();
    return false;
  };

  const noteFailure = (err: unknown): void => {
    if (outage) return;
    outage = { passedOver: 0, attemptedAt: now().getTime() };
    const message =
      'the shared rate-limit store fails: this server counts requests for itself until the store recovers';
    log.warn({ err: redactError(err) }, message);
  };

  const noteSuccess = (during: Outage | undefined): void => {
    // A call that was made before the outage does not end it.
    if (!during || during !== outage) return;
    log.info({ passedOver: during.passedOver }, 'the shared rate-limit store has recovered');
    outage = undefined;
  };

  const fallBack = ({ countLocally }: Counting): Counted => {
    if (outage) outage.passedOver += 1;
    observer.rateLimitStorePassedOver();
    return countLocally();
  };

  return {
    /** Counts a charge under `key` in the shared store, or in memory while that store fails or is slow. */
    count: async (key: string, windowMs: number, by: Counting): Promise<Counted> => {
      if (isPaused()) return fallBack(by);
      const during = outage;
      let counted: Counted;
      try {
        counted = await inTime(shared.count(key, windowMs, by.charge));
      } catch (err) {
        noteFailure(err);
        return fallBack(by);
      }
      noteSuccess(during);
      by.counted(counted);
      return counted;
    },
  };
}

/** Rejects if `counting` takes too long. Its later result is ignored. */
async function inTime<T>(counting: Awaitable<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // After another turn of the event loop, because a result that arrived while this process was busy is not late.
    const giveUp = () => setImmediate(() => reject(new Error(`no response within ${COUNT_TIMEOUT_MS} ms`)));
    timer = setTimeout(giveUp, COUNT_TIMEOUT_MS);
  });
  try {
    return await Promise.race([counting, late]);
  } finally {
    clearTimeout(timer);
  }
}
