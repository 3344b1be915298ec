import { type AbortSignalLike, systemTimer } from '@orders/domain/events';
import { eventFeedContract, type EventFeedSubject } from '@orders/domain/testing';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { allOf, waiting } from './faulty-feeds.ts';

/** Creates a store whose waits are late after a tenth of a second. */
function anImpatientStore(): EventFeedSubject {
  return { ...aFeedStore(), patienceMs: 100 };
}

/** A signal that has no listeners, and reports those that it would have. */
function deaf(signal: AbortSignalLike | undefined, isAborted: boolean): AbortSignalLike {
  return {
    aborted: isAborted && (signal?.aborted ?? false),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
}

const faults: readonly FaultOf<EventFeedSubject>[] = [
  [
    'is not woken by a write',
    waiting(
      () =>
        (_owner, _position, { timeoutMs, signal }) =>
          systemTimer.pause(Math.min(timeoutMs, 300), signal),
    ),
    /after a write of the same server/,
  ],
  [
    'is not woken by a write of another server',
    (correct) => ({ ...correct, openAnother: () => aFeedStore() }),
    /and of another one/,
  ],
  [
    'waits for the next write, whatever was written before',
    waiting((correct) => async (owner, position, options) => {
      const end = (await allOf(correct, owner)).length;
      await correct.feed.wait(owner, Math.max(position, end), {
        ...options,
        timeoutMs: Math.min(options.timeoutMs, 300),
      });
    }),
    /written before it began/,
  ],
  ['never waits', waiting(() => () => Promise.resolve()), /lasts until its timeout/],
  [
    'has a timeout of its own',
    waiting(
      ({ feed }) =>
        (owner, position, options) =>
          feed.wait(owner, position, { ...options, timeoutMs: 300 }),
    ),
    /lasts until its timeout/,
  ],
  [
    'ignores a signal that is aborted before',
    waiting(
      ({ feed }) =>
        (owner, position, { timeoutMs, signal }) =>
          signal?.aborted
            ? feed.wait(owner, position, { timeoutMs: Math.min(timeoutMs, 300) })
            : feed.wait(owner, position, { timeoutMs, signal }),
    ),
    /its signal is aborted/,
  ],
  [
    'ignores a signal that is aborted later',
    waiting(
      ({ feed }) =>
        (owner, position, { timeoutMs, signal }) =>
          feed.wait(owner, position, { timeoutMs: Math.min(timeoutMs, 300), signal: deaf(signal, true) }),
    ),
    /its signal is aborted/,
  ],
  [
    'keeps its listener',
    waiting(({ feed }) => (owner, position, options) => {
      options.signal?.addEventListener('abort', () => undefined);
      return feed.wait(owner, position, options);
    }),
    /removes its listener/,
  ],
  [
    'wakes one waiter for each write',
    waiting(({ feed }) => {
      let waiters = 0;
      return async (owner, position, options) => {
        waiters += 1;
        const isFirst = waiters === 1;
        await (isFirst ? feed.wait(owner, position, options) : systemTimer.pause(Math.min(options.timeoutMs, 300)));
        waiters -= 1;
      };
    }),
    /each of several waiters/,
  ],
];

describe('the contract of the event feed port, on waits,', () => {
  itCatchesFaults(eventFeedContract, anImpatientStore, faults);
});
