import type { FeedEvent, FeedPage, FeedQuery, ReadFeedError } from '@orders/domain/events';
import { FEED_START, parseFeedQuery, positionOf } from '@orders/domain/events';
import type { EventFeedSubject } from '@orders/domain/testing';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { succeeds } from './a-domain.ts';
import type { FaultOf } from './contract-faults.ts';

type Inject = FaultOf<EventFeedSubject>[1];
type Read = (owner: string, query: FeedQuery) => ResultAsync<FeedPage, ReadFeedError>;
type Wait = EventFeedSubject['feed']['wait'];

/** Returns the subject with other methods of its feed. */
export function withFeed(correct: EventFeedSubject, { read, wait }: { read?: Read; wait?: Wait }): EventFeedSubject {
  const { feed } = correct;
  return {
    ...correct,
    feed: {
      read: read ?? ((owner, query) => feed.read(owner, query)),
      wait: wait ?? ((owner, position, options) => feed.wait(owner, position, options)),
    },
  };
}

/** Injects a feed that reads by other rules. */
export const reading =
  (createRead: (correct: EventFeedSubject) => Read): Inject =>
  (correct) =>
    withFeed(correct, { read: createRead(correct) });

/** Injects a feed that waits by other rules. */
export const waiting =
  (createWait: (correct: EventFeedSubject) => Wait): Inject =>
  (correct) =>
    withFeed(correct, { wait: createWait(correct) });

/** Injects a feed that changes the query before it reads. */
export const alteringQueries = (alter: (query: FeedQuery) => FeedQuery): Inject =>
  reading(
    ({ feed }) =>
      (owner, query) =>
        feed.read(owner, alter(query)),
  );

/** Injects a feed that alters its pages. */
export const alteringPages = (alter: (page: FeedPage, query: FeedQuery, owner: string) => FeedPage): Inject =>
  reading(
    ({ feed }) =>
      (owner, query) =>
        feed.read(owner, query).map((page) => alter(page, query, owner)),
  );

/** Injects a feed that alters its events. */
export const alteringEvents = (alter: (event: FeedEvent, owner: string) => FeedEvent): Inject =>
  alteringPages((page, _, owner) => ({ ...page, data: page.data.map((event) => alter(event, owner)) }));

/** Injects a feed that alters the data of its events. */
export const alteringData = (alter: (event: FeedEvent, owner: string) => unknown): Inject =>
  alteringEvents((event, owner) => {
    if (!('data' in event.resource)) return event;
    const altered = { ...event, resource: { ...event.resource } };
    Object.assign(altered.resource, { data: alter(event, owner) });
    return altered;
  });

/** Reads all events of an owner, in the order of the correct feed. */
export async function allOf({ feed }: EventFeedSubject, owner: string): Promise<readonly FeedEvent[]> {
  const all: FeedEvent[] = [];
  let query = parseFeedQuery({ limit: 100 })._unsafeUnwrap();
  for (;;) {
    const { data, next, caught_up } = await succeeds(feed.read(owner, query));
    all.push(...data);
    if (caught_up) return all;
    query = { ...query, after: next };
  }
}

/** Injects a feed of the events that `list` returns, at the positions 1, 2, 3, … */
export const listing = (
  createList: (correct: EventFeedSubject) => (owner: string) => Promise<readonly FeedEvent[]>,
): Inject =>
  reading((correct) => {
    const list = createList(correct);
    return (owner, query) => new ResultAsync(list(owner).then((events) => pageOf(events, query)));
  });

/** Injects a feed that numbers new events in the order of `compare`. */
export const numbering = (compare: (left: FeedEvent, right: FeedEvent) => number): Inject =>
  listing((correct) => {
    const numbered = new Map<string, readonly FeedEvent[]>();
    return async (owner) => {
      const all = await allOf(correct, owner);
      const known = numbered.get(owner) ?? [];
      const fresh = all.filter(({ id }) => !known.some((event) => event.id === id));
      const events = [...known, ...fresh.toSorted(compare)];
      numbered.set(owner, events);
      return events;
    };
  });

export function compareText(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}

function pageOf(
  unnumbered: readonly FeedEvent[],
  { after, start, limit, types }: FeedQuery,
): Result<FeedPage, ReadFeedError> {
  const events = unnumbered.map((event, index) => ({ ...event, position: index + 1 }));
  const placeAt = (position: number) => {
    const event = events[position - 1];
    return event ? positionOf(event) : FEED_START;
  };
  if (after === null && start === 'latest') return ok({ data: [], next: placeAt(events.length), caught_up: true });
  const from = after ?? FEED_START;
  if (placeAt(from.position).event !== from.event) return err({ type: 'feed_reset' });
  const rest = events.slice(from.position).filter(({ type }) => types?.includes(type) ?? true);
  const data = rest.slice(0, limit);
  const next = placeAt(data.length < rest.length ? (data.at(-1)?.position ?? 0) : events.length);
  return ok({ data, next, caught_up: next.position === events.length });
}
