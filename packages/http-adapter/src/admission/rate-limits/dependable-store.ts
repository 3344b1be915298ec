import type { FastifyBaseLogger } from 'fastify';
import type { Awaitable } from '../../awaitable.ts';
import { loggedError } from '../../logging/redacted-error.ts';
import type { OrdersHttpObserver } from '../../observer.ts';
import type { Counted, RateLimitStore } from './rate-limit-store.ts';

/** For how long a request waits to be counted by the shared store, in milliseconds. */
const ANSWER_MS = 100;

/** For how long the shared store is left alone once it failed, in milliseconds. */
const PAUSE_MS = 1000;

/** The time in which the shared store does not answer. */
interface Outage {
  /** How many requests it did not count. */
  passedOver: number;
  /** When it was last asked. */
  askedAt: number;
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
 * for it. `log` reports when it stops answering and when it answers again.
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
    const pause = now().getTime() - outage.askedAt;
    // Less than none after the clock was set back.
    if (pause >= 0 && pause < PAUSE_MS) return true;
    outage.askedAt = now().getTime();
    return false;
  };

  const noteFailure = (err: unknown): void => {
    if (outage) return;
    outage = { passedOver: 0, askedAt: now().getTime() };
    const message = 'rate limits are not shared: this server counts for itself until their store answers again';
    log.warn({ err: loggedError(err) }, message);
  };

  const noteAnswer = (asked: Outage | undefined): void => {
    // An answer to what was asked before the outage does not end it.
    if (!asked || asked !== outage) return;
    log.info({ passedOver: asked.passedOver }, 'rate limits are shared again');
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
      const asked = outage;
      let counted: Counted;
      try {
        counted = await inTime(shared.count(key, windowMs));
      } catch (err) {
        noteFailure(err);
        return passOver(by);
      }
      noteAnswer(asked);
      by.counted(counted);
      return counted;
    },
  };
}

/** Rejects when `answer` is late. What it comes to after that is nobody's concern. */
async function inTime<T>(answer: Awaitable<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Once more around the event loop: what came while this process was busy is not late.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)));
    timer = setTimeout(giveUp, ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
