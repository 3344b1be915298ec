import type { ResultAsync } from 'neverthrow';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import type { FeedEvent } from './feed-event.ts';
import type { FeedPosition } from './feed-position.ts';
import type { FeedQuery } from './feed-query.ts';

/** Maximum number of positions that a page with a filter covers. */
export const FILTERED_POSITIONS_MAX = 1000;

/** Maximum number of changes that receive their positions together. */
export const NUMBERING_BATCH_MAX = 1000;

/** Maximum number of batches that one read numbers. */
export const NUMBERING_BATCHES_MAX = 5;

/** Maximum number of waits for events of one owner that an adapter has at a time. */
export const FEED_WAITS_PER_OWNER_MAX = 4;

/** Maximum number of waits for events that an adapter has at a time. */
export const FEED_WAITS_MAX = 10_000;

/** One page of the events of an owner, in the order of their positions. */
export interface FeedPage<D extends OrderDefinition = OrderDefinition> {
  readonly data: readonly FeedEvent<D>[];
  /** Where the next page starts. Never `null`, as a feed has no end; with a filter, it advances also without events. */
  readonly next: FeedPosition;
  /** Whether no event after `next` was known when the page was read. */
  readonly caught_up: boolean;
}

/**
 * Error: the feed has another event at the reader's position, or none. The store was restored to an earlier time, so
 * events that the reader saw may never have happened. It must read everything again.
 */
export interface FeedReset {
  readonly type: 'feed_reset';
}

/** Error: events after the reader's position were purged. The reader has missed them and must read everything again. */
export interface EventsExpired {
  readonly type: 'events_expired';
  /** The place before the oldest event of the feed. */
  readonly oldest: FeedPosition;
}

/** The errors of reading events by a validated query. */
export type ReadFeedError = FeedReset | EventsExpired | Unavailable;

/** Options of a wait for events. */
export interface FeedWaitOptions {
  /** Maximum time of the wait in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the wait at once when it is aborted. */
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * Port: the feed of each owner's events. Every adapter guarantees, beyond the types:
 *
 * - The positions of an owner's events are 1, 2, 3, … without holes, and never change. Every committed event has exactly
 *   one position, however its write ended for the caller. A write that fails, is replayed or changes nothing has none.
 * - The events of one resource are in the order of their versions. All readers see the same sequence.
 * - An event whose write was acknowledged before the read began is at or before the end of the feed.
 * - A reader that continues at `next` misses no event and gets none twice, also if a write commits late, with an older
 *   time and id than events already read. If the feed cannot keep this promise, the reader gets {@link FeedReset} or
 *   {@link EventsExpired}.
 * - Events leave the feed by age, oldest position first, and only after they have a position. An event leaves after all
 *   events before it.
 * - A call reads only events of its owner. Return values are copies.
 */
export interface EventFeed<D extends OrderDefinition = DefaultDefinition> {
  /** The definition of the orders whose events it has. Default: {@link ORDERS}, or the one that `createWebhooks` gets. */
  readonly definition?: D | undefined;

  /**
   * Returns the events after a position. First it numbers changes that have no position yet, in at most
   * {@link NUMBERING_BATCHES_MAX} batches of {@link NUMBERING_BATCH_MAX}. If more remain, `caught_up` is false, and
   * `start: 'latest'` returns {@link Unavailable}, whose cause is a {@link FeedBacklog}.
   *
   * Without `after`, the page starts at the oldest event of the feed. A page with `types` covers no more than
   * {@link FILTERED_POSITIONS_MAX} positions. A page with resources ends before the event with which their items would
   * exceed {@link PAGE_ELEMENTS_MAX}, or their notes and metadata {@link PAGE_BYTES_MAX}; it has at least one event if any
   * matches.
   *
   * Returns {@link FeedReset} if the event at the position of `after` has another id, or the feed ends before it. Returns
   * {@link EventsExpired} if the event after it was purged. The position of the last purged event is valid.
   */
  read(owner: Owner, query: FeedQuery<D>): ResultAsync<FeedPage<D>, ReadFeedError>;

  /**
   * Resolves when the owner may have events after `position`: at once if it has some, otherwise after the next write.
   * Resolves at the latest after `timeoutMs`, and at once when `signal` is aborted or the adapter has too many waiters.
   * Never rejects.
   */
  wait(owner: Owner, position: number, options: FeedWaitOptions): Promise<void>;
}

/** Returns the definition of the orders whose events a feed has. */
export function definitionOf<D extends OrderDefinition>(feed: Pick<EventFeed<D>, 'definition'>): D;
export function definitionOf({ definition = ORDERS }: Pick<EventFeed<OrderDefinition>, 'definition'>): unknown {
  return definition;
}
