import { FEED_START, type FeedPage, positionOf } from '@orders/domain/events';
import { eventFeedContract, type EventFeedSubject } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { alteringPages, alteringQueries, reading } from './faulty-feeds.ts';

/** Returns the place after the event at an index of a page. */
function placeAt({ data, next }: FeedPage, index: number) {
  const event = data.at(index);
  return event ? positionOf(event) : next;
}

const faults: readonly FaultOf<EventFeedSubject>[] = [
  [
    'repeats the last event of a page',
    alteringPages((page) => (page.data.length > 1 ? { ...page, next: placeAt(page, -2) } : page)),
    /has no event twice/,
  ],
  [
    'loses the last event of a page',
    alteringPages((page) => ({ ...page, data: page.caught_up ? page.data : page.data.slice(0, -1) })),
    /continues at the end of the one before/,
  ],
  [
    'has the start of the feed as the position after a page without events',
    alteringPages((page) => (page.data.length === 0 ? { ...page, next: FEED_START } : page)),
    /also without events/,
  ],
  ['has always caught up', alteringPages((page) => ({ ...page, caught_up: true })), /caught up only at the end/],
  [
    'has caught up only after an empty page',
    alteringPages((page) => ({ ...page, caught_up: page.data.length === 0 })),
    /caught up only at the end/,
  ],
  ['ignores the limit', alteringQueries((query) => ({ ...query, limit: 100 })), /caught up only at the end/],
  [
    'starts before the events that were not read before',
    reading(({ feed }) => {
      const read = new Map<string, FeedPage['next']>();
      return (owner, query) =>
        feed.read(owner, query).map((page) => {
          const known = read.get(owner) ?? FEED_START;
          if (page.data.length > 0) read.set(owner, page.next);
          return query.start === 'latest' && query.after === null ? { ...page, next: known } : page;
        });
    }),
    /starts at the latest/,
  ],
  ['starts at the oldest event', alteringQueries((query) => ({ ...query, start: 'oldest' })), /starts at the latest/],
  ['ignores the types', alteringQueries((query) => ({ ...query, types: null })), /only events of the requested types/],
  [
    'stays where it is if no event has a requested type',
    alteringPages((page, { after }) => (page.data.length === 0 ? { ...page, next: after ?? FEED_START } : page)),
    /advances to the end of the feed/,
  ],
  [
    'stays at the last event of a requested type',
    alteringPages((page) => ({ ...page, next: placeAt(page, -1) })),
    /advances behind the others/,
  ],
  [
    'selects the types of a page after its limit',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed
            .read(owner, { ...query, types: null })
            .map((page) => ({ ...page, data: page.data.filter(({ type }) => query.types?.includes(type) ?? true) })),
    ),
    /as many events of the requested types as the limit/,
  ],
  [
    'has positions without the id of their event',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed.read(owner, { ...query, after: null, limit: 100 }).andThen((all) => {
            const position = query.after?.position ?? 0;
            const after = position === 0 ? FEED_START : placeAt(all, position - 1);
            return feed.read(owner, { ...query, after: query.after && after });
          }),
    ),
    /feed_reset if the event there has another id/,
  ],
  [
    'waits for a position that the feed does not have',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed.read(owner, { ...query, after: null, start: 'latest' }).andThen(({ next }) => {
            const { after } = query;
            if (after === null || after.position <= next.position) return feed.read(owner, query);
            return okAsync({ data: [], next: after, caught_up: true });
          }),
    ),
    /feed_reset if the feed ends before it/,
  ],
];

describe('the contract of the event feed port, on pages,', () => {
  itCatchesFaults(eventFeedContract, aFeedStore, faults);
});
