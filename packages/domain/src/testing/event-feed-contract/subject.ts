import type { ResultAsync } from 'neverthrow';
import type { FeedPage, ReadFeedError } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { EventType } from '../../event-types.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import { type FeedQueryInput, parseFeedQuery } from '../../events/feed-query.ts';
import type { OrderDefinition } from '../../orders/order-lifecycle.ts';
import { type Timestamp, toTimestamp } from '../../shared/clock.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { succeeds } from '../contract-subject.ts';
import type { AnyOrderEvent } from '../order-fixtures.ts';
import type { WriteMembers } from '../kind-bench.ts';
import { type OrderAndEvent, RECENT, StoreBench } from '../store-bench.ts';

/** A query of the contracts. Its types are those of the definition under test. */
type ReadInput = Omit<FeedQueryInput, 'types'> & { readonly types?: readonly EventType<OrderDefinition>[] };

type AnyEvents = readonly FeedEvent<OrderDefinition>[];

/** A server under test with the feed of one owner, and the writes that make its events. */
export class FeedBench extends StoreBench {
  purge(cutoff: Timestamp): Promise<void> {
    return this.subject.purge(cutoff);
  }

  /** Changes the note of an order, and returns the order with its event. */
  async change(id: string, { at = RECENT, event = {} }: WriteMembers<AnyOrderEvent> = {}): Promise<OrderAndEvent> {
    const written = await this.orders.set(id, { note: aKey().key }, { at, event: { changed: ['note'], ...event } });
    assert.ok(written.event, 'the write recorded no event');
    return { order: written.aggregate, event: written.event };
  }

  /** Places an order, changes its note up to a version, and returns its id. */
  async placeVersions(count: number): Promise<string> {
    const { id } = (await this.place()).order;
    for (let version = 2; version <= count; version += 1) await this.change(id);
    return id;
  }

  /** Attempts to read a page; `input` may be invalid for other adapters, never for the parser. */
  tryRead({ types, ...input }: ReadInput = {}): ResultAsync<FeedPage, ReadFeedError> {
    const query = parseFeedQuery({ limit: 100, ...input })._unsafeUnwrap();
    return this.server.feed.read(this.owner, { ...query, types: types ?? null });
  }

  /** Returns a page of at most 100 events. */
  async page(input: ReadInput = {}): Promise<FeedPage> {
    return await succeeds(this.tryRead(input));
  }

  async end(): Promise<FeedPosition> {
    return (await this.page({ start: 'latest' })).next;
  }

  /** Reads page by page until the reader has caught up, and returns all events. */
  async readAll(input: ReadInput = {}): Promise<AnyEvents> {
    const all: FeedEvent<OrderDefinition>[] = [];
    for (let after = input.after; ;) {
      const { data, next, caught_up } = await this.page({ ...input, after });
      all.push(...data);
      if (caught_up) return all;
      assert.ok(next.position > (after?.position ?? 0), 'a page that is not the last must advance');
      after = next;
    }
  }

  async positions(input?: ReadInput): Promise<readonly number[]> {
    return positionsOf(await this.readAll(input));
  }
}

/** Returns a time of the year 2001, later for a higher number. */
export function oldTime(minute: number): Timestamp {
  return toTimestamp(Date.UTC(2001, 0, 1) + minute * 60_000);
}

export function idsOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id);
}

/** Returns the positions of events or deliveries, in order. */
export function positionsOf(events: readonly { readonly position: number }[]): readonly number[] {
  return events.map(({ position }) => position);
}

export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
