import type { FastifyBaseLogger } from 'fastify';
import type { Awaitable } from '../../awaitable.ts';
import { redactError } from '../../logging/redacted-error.ts';
import type { OrdersHttpObserver } from '../../observer.ts';
import type { Counted, RateLimitStore } from './rate-limit-store.ts';

/** For how long a request waits to be counted by the shared store, in milliseconds. */
const COUNT_TIMEOUT_MS = 100;

/** For how long the shared store is left alone once it failed, in milliseconds. */
const PAUSE_MS = 1000;

/** A period in which the shared store fails. */
interface Outage {
  /** How many requests it did not count. */
  passedOver: number;
  /** When it was last called. */
  calledAt: number;
}

/** A store whose failures cost no request. */
export interface DependableStore {
  /** Counts one request under `key` in the shared store, or `meanwhile` that store fails or is late. */
  count(key: string, windowMs: number, by: Counting): Promise<Counted>;
}

interface Counting {
  /** Counts in the memory of this process. */
  readonly meanwhile: () => Counted;
  /** Receives what the shared store has counted. */
  readonly counted: (counted: Counted) => void;
}

/**
 * Counts in `shared`. After a failure one request a second tries it again, of whatever policy; the others do not wait
 * for it. `log` reports the beginning and the end of an outage.
 */
export function countInMemoryMeanwhile(
  shared: RateLimitStore,
  now: () => Date,
  log: FastifyBaseLogger,
  observer: OrdersHttpObserver,
): DependableStore {
  let outage: Outage | undefined;

  const isLeftAlone = (): boolean => {
    if (!outage) return false;
    const pause = now().getTime() - outage.calledAt;
    // Less than none after the clock was set back.
    if (pause >= 0 && pause < PAUSE_MS) return true;
    outage.calledAt = now().getTime();
    return false;
  };

  const noteFailure = (err: unknown): void => {
    if (outage) return;
    outage = { passedOver: 0, calledAt: now().getTime() };
    const message = 'rate limits are not shared: this server counts for itself until their store answers again';
    log.warn({ err: redactError(err) }, message);
  };

  const noteSuccess = (during: Outage | undefined): void => {
    // The success of a call that was made before the outage does not end it.
    if (!during || during !== outage) return;
    log.info({ passedOver: during.passedOver }, 'rate limits are shared again');
    outage = undefined;
  };

  const passOver = ({ meanwhile }: Counting): Counted => {
    if (outage) outage.passedOver += 1;
    observer.rateLimitStorePassedOver();
    return meanwhile();
  };

  return {
    count: async (key, windowMs, by) => {
      if (isLeftAlone()) return passOver(by);
      const during = outage;
      let counted: Counted;
      try {
        counted = await inTime(shared.count(key, windowMs));
      } catch (err) {
        noteFailure(err);
        return passOver(by);
      }
      noteSuccess(during);
      by.counted(counted);
      return counted;
    },
  };
}

/** Rejects when `counting` is late. Its later result is ignored. */
async function inTime<T>(counting: Awaitable<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Once more around the event loop: what came while this process was busy is not late.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${COUNT_TIMEOUT_MS} ms`)));
    timer = setTimeout(giveUp, COUNT_TIMEOUT_MS);
  });
  try {
    return await Promise.race([counting, late]);
  } finally {
    clearTimeout(timer);
  }
}
