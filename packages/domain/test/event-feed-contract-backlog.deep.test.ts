import { eventFeedBacklogContract, type EventFeedSubject } from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { allOf, listing, reading } from './faulty-feeds.ts';

const faults: readonly FaultOf<EventFeedSubject>[] = [
  [
    'covers the whole feed by a filtered page',
    listing((correct) => (owner) => allOf(correct, owner)),
    /cover at most 1,000 positions/,
  ],
  [
    'returns the end of the numbered events as the latest',
    reading(
      ({ feed }) =>
        (owner, query) =>
          feed
            .read(owner, query)
            .orElse((error) => (error.type === 'unavailable' ? feed.read(owner, query) : errAsync(error))),
    ),
    /has no known end before the last/,
  ],
  [
    'numbers no more than 5,000 events',
    listing((correct) => async (owner) => (await allOf(correct, owner)).slice(0, 5000)),
    /is numbered by several reads/,
  ],
];

describe('the contract of the event feed port, on long feeds,', () => {
  itCatchesFaults(eventFeedBacklogContract, aFeedStore, faults);
});
