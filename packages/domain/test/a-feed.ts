import type { AbortSignalLike, FeedQuery, Timer } from '@orders/domain/events';
import { anEventOf, anOrder, faulty, type InMemoryStore, inMemoryStore } from '@orders/domain/testing';
import { OWNER, succeeds } from './a-domain.ts';

/** An in-memory store that counts the calls of its feed, which can fail. */
export interface FeedUnderTest extends InMemoryStore {
  /** The position and options of each wait. */
  readonly waits: { readonly position: number; readonly timeoutMs: number; readonly signal: unknown }[];
  /** The queries of all reads. */
  readonly reads: FeedQuery[];
  /** Places an order of {@link OWNER}, and returns its id. */
  readonly place: () => Promise<string>;
}

/** Creates an empty store. `onWait` runs at the beginning of each wait; reads fail with these causes, and `null` is none. */
export function aFeed(
  onWait: (count: number) => void = () => undefined,
  causes: readonly unknown[] = [],
): FeedUnderTest {
  const unavailable = (cause: unknown) => ({ error: { type: 'unavailable', cause } }) as const;
  const faults = causes.map((cause) => (cause === null ? null : unavailable(cause)));
  const store = faulty(inMemoryStore(), { 'feed.read': faults });
  const feed: InMemoryStore['feed'] = {
    ...store.feed,
    read: (owner, query) => {
      subject.reads.push(query);
      return store.feed.read(owner, query);
    },
    wait: (owner, position, { timeoutMs, signal }) => {
      subject.waits.push({ position, timeoutMs, signal });
      const waiting = store.feed.wait(owner, position, { timeoutMs, signal });
      onWait(subject.waits.length);
      return waiting;
    },
  };
  const place = async (): Promise<string> => {
    const after = anOrder();
    const event = anEventOf(OWNER, after);
    await succeeds(store.orders.commit(OWNER, { kind: 'create', after, event, key: undefined }));
    return after.id;
  };
  const subject: FeedUnderTest = { ...store, feed, waits: [], reads: [], place };
  return subject;
}

/** A timer whose pauses end at once and are recorded; its random number is always the same. */
export function aTimer(random = 0): Timer & { readonly pauses: number[]; readonly signals: unknown[] } {
  const [pauses, signals]: [number[], unknown[]] = [[], []];
  let now = 0;
  return {
    pauses,
    signals,
    now: () => now,
    pause: (ms: number, signal?: AbortSignalLike) => {
      now += ms;
      pauses.push(ms);
      signals.push(signal);
      return Promise.resolve();
    },
    random: () => random,
  };
}
