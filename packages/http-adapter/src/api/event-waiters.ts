import type { ServerResponse } from 'node:http';
import type { Owner } from '@orders/domain';
import { FEED_WAITS_PER_OWNER_MAX } from '@orders/domain/events';
import type { OrdersHttpObserver } from '../observer.ts';

/** Maximum number of requests of all owners that wait for events at a time. */
export const WAITERS_MAX = 1000;

/** A request that waits for events. */
interface Waiter {
  /** Aborted when the client disconnects, and when the server stops. */
  readonly signal: AbortSignal;
  /** Ends the wait. */
  readonly leave: () => void;
}

/** Excludes a response from the requests in progress. Returns the function that includes it again. */
type Pause = (response: ServerResponse) => () => void;

export type EventWaiters = ReturnType<typeof eventWaiters>;

/** Creates the collection of the requests that wait for events. They do not count as requests in progress. */
export function eventWaiters(pause: Pause, observer: OrdersHttpObserver) {
  const stopping = new AbortController();
  const byOwner = new Map<Owner, number>();
  let all = 0;
  const count = (owner: Owner, change: 1 | -1): void => {
    all += change;
    const waiting = (byOwner.get(owner) ?? 0) + change;
    if (waiting === 0) byOwner.delete(owner);
    else byOwner.set(owner, waiting);
    observer.eventWaiters(all);
  };
  /**
   * Adds a request by its response. Returns `limited` if its owner has {@link FEED_WAITS_PER_OWNER_MAX} waiters, and `full`
   * if there are {@link WAITERS_MAX}, the server stops, or the client has disconnected.
   */
  const enter = (owner: Owner, response: ServerResponse): Waiter | 'limited' | 'full' => {
    if ((byOwner.get(owner) ?? 0) >= FEED_WAITS_PER_OWNER_MAX) return 'limited';
    // After a disconnection during an earlier read, no event would end the wait before its time.
    if (all >= WAITERS_MAX || stopping.signal.aborted || response.destroyed) return 'full';
    const left = new AbortController();
    const abort = () => left.abort();
    // Fastify calls no hook when the client disconnects before the response.
    response.once('close', abort);
    stopping.signal.addEventListener('abort', abort);
    const resume = pause(response);
    count(owner, 1);
    return {
      signal: left.signal,
      leave: () => {
        response.off('close', abort);
        stopping.signal.removeEventListener('abort', abort);
        count(owner, -1);
        resume();
      },
    };
  };
  /** Ends all waits, and admits no more. */
  const close = (): void => stopping.abort();
  return { enter, close, isClosed: (): boolean => stopping.signal.aborted };
}
