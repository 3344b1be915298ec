import { err, ok, type Result } from 'neverthrow';
import type { CustomerEvent } from '../../customers/customer-kind.ts';
import {
  type EventFeed,
  type FeedWaitOptions,
  FEED_WAITS_MAX,
  FEED_WAITS_PER_OWNER_MAX,
  type FeedPage,
  FILTERED_POSITIONS_MAX,
  NUMBERING_BATCH_MAX,
  NUMBERING_BATCHES_MAX,
  type ReadFeedError,
} from '../../events/event-feed.ts';
import { FeedBacklog } from '../../events/feed-backlog.ts';
import type { StoreChanges } from '../../events/checkpoints.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { FEED_START, type FeedPosition, positionOf } from '../../events/feed-position.ts';
import type { FeedQuery } from '../../events/feed-query.ts';
import type { Timer } from '../../events/timer.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { OrderEvent } from '../../orders/order-kind.ts';
import type { Timestamp } from '../../shared/clock.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Owner } from '../../shared/ids.ts';
import { resourceTypeOf } from '../../event-types.ts';
import type { WebhookEndpointFeedType } from '../../webhooks/endpoint-kind.ts';
import { Abort } from '../../events/abort.ts';
import { toResultAsync } from './gate.ts';
import type { Change } from './in-memory-changes.ts';
import { createPageLimit } from './page-limit.ts';
import { copy } from './copy.ts';

/** An event of any aggregate that enters the feed. */
export type AnyEvent<D extends OrderDefinition = OrderDefinition> =
  | OrderEvent<D>
  | CustomerEvent
  | DomainEvent<WebhookEndpointFeedType>;

/** Returns the record of an event, of which an erasure may have removed the snapshot and the user since. */
type RecordOf = (event: AnyEvent) => Change<object, DomainEvent<string>> | undefined;

/** Maximum number of events that one read numbers. */
const NUMBERED_MAX = NUMBERING_BATCH_MAX * NUMBERING_BATCHES_MAX;

/** The events of one owner. */
interface OwnerFeed {
  /** The place before the first event of `numbered`, after the last purged one. */
  purged: FeedPosition;
  readonly numbered: AnyEvent[];
  readonly unnumbered: AnyEvent[];
  /** Wakes each waiter. */
  readonly waiters: Set<() => void>;
}

/**
 * The feeds of all owners, in memory. Events receive their positions when they are read or purged, as in a database, so
 * that both kinds of adapters behave alike.
 */
export class InMemoryFeed implements EventFeed<OrderDefinition> {
  readonly #feeds = new Map<Owner, OwnerFeed>();
  readonly #recordOf: RecordOf;
  readonly #timer: Timer;
  #waiters = 0;
  /** The number of events that were published, and what wakes those who wait for any. */
  #published = 0;
  readonly #wakeAny = new Set<() => void>();

  constructor(timer: Timer, recordOf: RecordOf) {
    this.#timer = timer;
    this.#recordOf = recordOf;
  }

  /** Adds an event that has been recorded, and wakes the waiters of its owner. */
  publish(event: AnyEvent): void {
    const feed = this.#feedOf(event.owner);
    feed.unnumbered.push(event);
    for (const wake of feed.waiters) wake();
    this.#published += 1;
    for (const wake of this.#wakeAny) wake();
  }

  /** Returns the owners that have events, or had some. */
  owners(): readonly Owner[] {
    return [...this.#feeds.keys()].filter((owner) => this.rangeOf(owner).latest > 0);
  }

  /** See {@link OwnerCheckpoints.waitForChanges}. */
  async waitForChanges(state: string | null, options: FeedWaitOptions): Promise<StoreChanges> {
    if (state === `${this.#published}` && !options.signal?.aborted) await this.#sleep(this.#wakeAny, options);
    return { state: `${this.#published}`, owners: null };
  }

  readonly read: EventFeed<OrderDefinition>['read'] = (owner, query) => toResultAsync(() => this.#read(owner, query));

  readonly wait: EventFeed<OrderDefinition>['wait'] = async (owner, position, options) => {
    const feed = this.#feedOf(owner);
    const { signal } = options;
    if (signal?.aborted || feed.unnumbered.length > 0 || endOf(feed).position !== position) return;
    if (feed.waiters.size >= FEED_WAITS_PER_OWNER_MAX || this.#waiters >= FEED_WAITS_MAX) return;
    this.#waiters += 1;
    await this.#sleep(feed.waiters, options);
    this.#waiters -= 1;
  };

  /** Waits until one of the waiters is woken. */
  async #sleep(waiters: Set<() => void>, { timeoutMs, signal }: FeedWaitOptions): Promise<void> {
    const end = new Abort();
    const wake = (): void => end.abort();
    waiters.add(wake);
    signal?.addEventListener('abort', wake);
    await this.#timer.pause(timeoutMs, end);
    signal?.removeEventListener('abort', wake);
    waiters.delete(wake);
  }

  /** Purges the events of all owners that occurred before `cutoff`, up to the first one that did not. */
  purge(cutoff: Timestamp): void {
    for (const feed of this.#feeds.values()) {
      numberEvents(feed, Infinity);
      const kept = feed.numbered.findIndex(({ occurred_at }) => occurred_at >= cutoff);
      const count = kept === -1 ? feed.numbered.length : kept;
      feed.purged = placeAfter(feed, count);
      feed.numbered.splice(0, count);
    }
  }

  /** Returns at most `limit` events after a position, without the data of their resources. */
  eventsAfter(owner: Owner, position: number, limit: number): readonly FeedEvent<OrderDefinition>[] {
    const feed = this.#feedOf(owner);
    numberEvents(feed, NUMBERED_MAX);
    const skipped = Math.max(0, position - feed.purged.position);
    const events = feed.numbered.slice(skipped, skipped + limit);
    return events.map((event, index) => this.#toFeedEvent(feed, event, skipped + index, false));
  }

  /** Returns the event at a position, with its resource if `hasData`; `null` if the feed does not have it. */
  eventAt(owner: Owner, position: number, hasData: boolean): FeedEvent<OrderDefinition> | null {
    const feed = this.#feedOf(owner);
    const skipped = position - 1 - feed.purged.position;
    const event = feed.numbered[skipped];
    return event ? this.#toFeedEvent(feed, event, skipped, hasData) : null;
  }

  /** Returns the position of the last purged event, and that of the latest event once all have one. */
  rangeOf(owner: Owner): { readonly purged: number; readonly latest: number } {
    const feed = this.#feedOf(owner);
    return { purged: feed.purged.position, latest: endOf(feed).position + feed.unnumbered.length };
  }

  #feedOf(owner: Owner): OwnerFeed {
    const found = this.#feeds.get(owner);
    if (found) return found;
    const feed = { purged: FEED_START, numbered: [], unnumbered: [], waiters: new Set<() => void>() };
    this.#feeds.set(owner, feed);
    return feed;
  }

  #read(owner: Owner, query: FeedQuery): Result<FeedPage, ReadFeedError> {
    const feed = this.#feedOf(owner);
    numberEvents(feed, NUMBERED_MAX);
    const isComplete = feed.unnumbered.length === 0;
    if (query.after === null && query.start === 'latest') {
      if (isComplete) return ok({ data: [], next: endOf(feed), caught_up: true });
      return err({ type: 'unavailable', cause: new FeedBacklog(endOf(feed).position) });
    }
    const { purged } = feed;
    const after = query.after ?? purged;
    if (after.position < purged.position) return err({ type: 'events_expired', oldest: purged });
    const isKnown = after.position <= endOf(feed).position;
    const skipped = after.position - purged.position;
    if (!isKnown || placeAfter(feed, skipped).event !== after.event) return err({ type: 'feed_reset' });
    const { data, covered } = this.#page(feed, skipped, query);
    const next = placeAfter(feed, skipped + covered);
    return ok({ data, next, caught_up: isComplete && next.position === endOf(feed).position });
  }

  /** Returns the page after the first `skipped` events, and the number of events that it covers. */
  #page(
    feed: OwnerFeed,
    skipped: number,
    { types, limit, include }: FeedQuery,
  ): { readonly data: readonly FeedEvent<OrderDefinition>[]; readonly covered: number } {
    const hasData = include.includes('resource');
    const fits = createPageLimit();
    const data: FeedEvent<OrderDefinition>[] = [];
    let covered = 0;
    for (const event of feed.numbered.slice(skipped, skipped + FILTERED_POSITIONS_MAX)) {
      if (types?.includes(event.type) ?? true) {
        if (data.length === limit) break;
        const shown = this.#toFeedEvent(feed, event, skipped + covered, hasData);
        const sized = shown.resource.data;
        // Endpoints have no free text that would count.
        if (sized && 'metadata' in sized && !fits(sized) && data.length > 0) break;
        data.push(shown);
      }
      covered += 1;
    }
    return { data, covered };
  }

  /** Returns a copy of the event after the first `skipped` ones that are not purged. */
  #toFeedEvent(feed: OwnerFeed, event: AnyEvent, skipped: number, hasData: boolean): FeedEvent<OrderDefinition>;
  #toFeedEvent(feed: OwnerFeed, event: AnyEvent, skipped: number, hasData: boolean): unknown {
    const { id, type, aggregate_id, version, changed, occurred_at, actor } = event;
    const record = this.#recordOf(event);
    const external_user_id = record?.event.external_user_id ?? null;
    const position = feed.purged.position + skipped + 1;
    const data = hasData && { data: record?.snapshot ?? null };
    const resource = { type: resourceTypeOf(type), id: aggregate_id, version, ...data };
    return copy({ id, position, type, resource, changed, occurred_at, actor, external_user_id });
  }
}

/** Gives at most `count` events their positions, in the order of their writes. */
function numberEvents(feed: OwnerFeed, count: number): void {
  for (const event of feed.unnumbered.splice(0, count)) feed.numbered.push(event);
}

/** Returns the place after the first `count` events that are not purged. */
function placeAfter({ purged, numbered }: OwnerFeed, count: number): FeedPosition {
  const last = numbered[count - 1];
  return last ? positionOf({ id: last.id, position: purged.position + count }) : purged;
}

function endOf(feed: OwnerFeed): FeedPosition {
  return placeAfter(feed, feed.numbered.length);
}
