import type { ResultAsync } from 'neverthrow';
import type { EventFeed, FeedPage, ReadFeedError } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { EventType } from '../../event-types.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import { type FeedQueryInput, parseFeedQuery } from '../../events/feed-query.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import { type Timestamp, toTimestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { change as changeAggregate } from '../aggregate-writes.ts';
import { anEventOf } from '../builders.ts';
import { type StoreSubject, succeeds } from '../contract-subject.ts';
import { type AnyOrder, type AnyOrderEvent, type AnySubject, RECENT, type Write } from '../order-fixtures.ts';

/** A server on the store under test. */
export interface FeedServer<D extends OrderDefinition = typeof ORDERS> extends StoreSubject<D> {
  readonly feed: EventFeed<D>;
}

/** A store under test, with the feed of its events. */
export interface EventFeedSubject<D extends OrderDefinition = typeof ORDERS> extends FeedServer<D> {
  /**
   * Purges events that occurred before `cutoff` from the feeds of all owners. The contracts call it with times of the year
   * 2001 only, so that a store may contain other data.
   */
  purge(cutoff: Timestamp): Promise<void>;
  /** Opens another server on the same store. Default: none; the tests of two servers then use one. */
  readonly openAnother?: (() => Promise<FeedServer<D>> | FeedServer<D>) | undefined;
  /** Time after which a wait that should have ended fails its test, in milliseconds. Default: 10 s. */
  readonly patienceMs?: number | undefined;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenFeedSubject<D extends OrderDefinition = typeof ORDERS> = () =>
  | Promise<EventFeedSubject<D>>
  | EventFeedSubject<D>;

/** A server with orders of a definition that is known only when the contract runs. */
export type AnyServer = FeedServer<OrderDefinition>;

/** Returns a time of the year 2001, later for a higher number. */
export function oldTime(minute: number): Timestamp {
  return toTimestamp(Date.UTC(2001, 0, 1) + minute * 60_000);
}

/** Opens a second server on the store of `subject`, or returns the only one. */
export async function anotherServer(subject: EventFeedSubject<OrderDefinition>): Promise<AnyServer> {
  return subject.openAnother ? await subject.openAnother() : subject;
}

/** Changes the note of an order, and returns the order with its event. */
export async function change(
  { orders }: AnySubject,
  owner: Owner,
  id: string,
  { at = RECENT, event = {} }: Write = {},
): Promise<{ readonly order: AnyOrder; readonly event: AnyOrderEvent }> {
  const written = await succeeds(
    changeAggregate(orders, owner, id, (before) => {
      const version = before.version + 1;
      const after = { ...before, note: `version ${version}`, version, updated_at: at };
      return { after, event: anEventOf<OrderDefinition>(owner, after, { changed: ['note'], ...event }) };
    }),
  );
  assert.ok(written.event, 'the write recorded no event');
  return { order: written.aggregate, event: written.event };
}

/** A query of the contracts. Its types are those of the definition under test. */
export type ReadInput = Omit<FeedQueryInput, 'types'> & {
  readonly types?: readonly EventType<OrderDefinition>[];
};

/** Reads a page; `input` may be invalid for other adapters, never for the parser. */
export function read(
  { feed }: AnyServer,
  owner: Owner,
  { types, ...input }: ReadInput = {},
): ResultAsync<FeedPage<OrderDefinition>, ReadFeedError> {
  const query = parseFeedQuery({ limit: 100, ...input })._unsafeUnwrap();
  return feed.read(owner, { ...query, types: types ?? null });
}

/** Returns a page of at most 100 events. */
export async function page(server: AnyServer, owner: Owner, input: ReadInput = {}): Promise<FeedPage<OrderDefinition>> {
  return await succeeds(read(server, owner, input));
}

/** Returns the end of the feed. */
export async function endOf(server: AnyServer, owner: Owner): Promise<FeedPosition> {
  return (await page(server, owner, { start: 'latest' })).next;
}

/** Reads page by page until the reader has caught up, and returns all events. */
export async function readAll(
  server: AnyServer,
  owner: Owner,
  input: ReadInput = {},
): Promise<readonly FeedEvent<OrderDefinition>[]> {
  const all: FeedEvent<OrderDefinition>[] = [];
  for (let after = input.after; ;) {
    const { data, next, caught_up } = await page(server, owner, { ...input, after });
    all.push(...data);
    if (caught_up) return all;
    assert.ok(next.position > (after?.position ?? 0), 'a page that is not the last must advance');
    after = next;
  }
}

/** Returns the ids of events, in order. */
export function idsOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id);
}

/** Returns the positions of events, in order. */
export function positionsOf(events: readonly FeedEvent<OrderDefinition>[]): readonly number[] {
  return events.map(({ position }) => position);
}

/** Returns the numbers from 1 to `count`. */
export function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
