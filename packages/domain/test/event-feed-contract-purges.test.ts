import { FEED_START, type FeedEvent, type FeedQuery } from '@orders/domain/events';
import { eventFeedContract, type EventFeedSubject } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { allOf, alteringQueries, listing, reading } from './faulty-feeds.ts';

type Inject = FaultOf<EventFeedSubject>[1];

/** Injects a feed that returns the events after the oldest position instead of an error. */
const skipping = (error: 'events_expired' | 'feed_reset'): Inject =>
  reading(
    ({ feed }) =>
      (owner, query) =>
        feed
          .read(owner, query)
          .orElse((failure) =>
            failure.type === error ? feed.read(owner, { ...query, after: null }) : errAsync(failure),
          ),
  );

/** Injects a purge that removes the events with `isPurged`, and a feed without any trace of them. */
const removing = (isPurged: (event: FeedEvent, cutoff: string, all: readonly FeedEvent[]) => boolean): Inject => {
  return (correct) => {
    const purged = new Set<string>();
    const owners = new Set<string>();
    const listed = listing(() => async (owner) => {
      owners.add(owner);
      return (await allOf(correct, owner)).filter(({ id }) => !purged.has(id));
    })(correct);
    const purge = async (cutoff: string): Promise<void> => {
      for (const owner of owners) {
        const all = await allOf(correct, owner);
        for (const event of all.filter((one) => isPurged(one, cutoff, all))) purged.add(event.id);
      }
    };
    return { ...listed, purge };
  };
};

/** Injects a purge by other rules of age. The feed itself is correct. */
const purgingBy = (cutoffOf: (events: readonly FeedEvent[], cutoff: string) => string): Inject => {
  return (correct) => {
    const owners = new Set<string>();
    const { feed } = reading(() => (owner, query) => {
      owners.add(owner);
      return correct.feed.read(owner, query);
    })(correct);
    const { orders } = correct;
    const purge = async (cutoff: string): Promise<void> => {
      for (const owner of owners) await correct.purge(cutoffOf(await allOf(correct, owner), cutoff));
    };
    const commit: typeof orders.commit = (owner, write) => {
      owners.add(owner);
      return orders.commit(owner, write);
    };
    return { ...correct, feed, purge, orders: { ...orders, commit } };
  };
};

const isOld = ({ occurred_at }: FeedEvent, cutoff: string): boolean => occurred_at < cutoff;

/** Injects a feed that loses events which are purged before they have a position. */
const losingUnnumbered: Inject = (correct) => {
  const read = new Set<string>();
  const lost = new Map<string, number>();
  const subject = reading(({ feed }) => (owner, query) => {
    const shift = lost.get(owner) ?? 0;
    const move = (by: number, after: FeedQuery['after']) => after && { ...after, position: after.position + by };
    read.add(owner);
    if (shift > 0 && query.after?.position === 0) return okAsync({ data: [], next: FEED_START, caught_up: true });
    return feed.read(owner, { ...query, after: move(shift, query.after) }).map((page) => ({
      ...page,
      data: page.data.map((event) => ({ ...event, position: event.position - shift })),
      next: { ...page.next, position: page.next.position - shift },
    }));
  })(correct);
  const purge = async (cutoff: string): Promise<void> => {
    for (const owner of read) {
      const { length } = await allOf(correct, owner);
      lost.set(owner, length);
    }
    await correct.purge(cutoff);
  };
  return { ...subject, purge };
};

const faults: readonly FaultOf<EventFeedSubject>[] = [
  ['removes nothing', (correct) => ({ ...correct, purge: () => Promise.resolve() }), /removes those before its time/],
  ['numbers the remaining events again', removing(isOld), /the others keep their positions/],
  ['skips purged events silently', skipping('events_expired'), /with events_expired and the oldest position/],
  [
    'starts at position 0 if no position is given',
    alteringQueries((query) => ({ ...query, after: query.after ?? (query.start === 'oldest' ? FEED_START : null) })),
    /the others keep their positions/,
  ],
  [
    'reports the end of the feed as the oldest position',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed
            .read(owner, query)
            .orElse((error) =>
              error.type === 'events_expired'
                ? feed
                    .read(owner, { ...query, after: null, start: 'latest' })
                    .andThen(({ next }) => errAsync({ ...error, oldest: next }))
                : errAsync(error),
            ),
    ),
    /events_expired and the oldest position/,
  ],
  [
    'rejects the position of the last purged event',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed.read(owner, { ...query, after: null }).andThen(({ data }) => {
            const first = data[0]?.position ?? 1;
            const isBefore = query.after !== null && query.after.position < first && first > 1;
            return isBefore
              ? errAsync({ type: 'events_expired', oldest: { ...query.after, position: first - 1 } } as const)
              : feed.read(owner, query);
          }),
    ),
    /events_expired and the oldest position/,
  ],
  ['keeps no id of the last purged event', skipping('feed_reset'), /last purged event with feed_reset/],
  ['loses events without a position', losingUnnumbered, /numbers the events of an owner without readers/],
  [
    'loses the end of a feed without events',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed.read(owner, query).map((page) => (page.data.length === 0 ? { ...page, next: FEED_START } : page)),
    ),
    /keeps the end of the feed valid/,
  ],
  [
    'removes an old event behind a newer one',
    removing((event, cutoff) => isOld(event, cutoff)),
    /keeps an old event behind a newer one/,
  ],
  [
    'removes every event before the last old one',
    purgingBy((events, cutoff) =>
      events.some((event) => event.position > 2 && isOld(event, cutoff)) ? '2026-06-01T00:00:00.000Z' : cutoff,
    ),
    /removes none before its age/,
  ],
  [
    'counts the age of the last change of an order',
    purgingBy((events, cutoff) =>
      events.every((event) => isOld(event, cutoff)) ? cutoff : '2000-01-01T00:00:00.000Z',
    ),
    /age of each event/,
  ],
  [
    'continues behind a purge that happens while it reads',
    skipping('events_expired'),
    /concurrent reader the next events or events_expired/,
  ],
];

describe('the contract of the event feed port, on purges,', () => {
  itCatchesFaults(eventFeedContract, aFeedStore, faults);
});
