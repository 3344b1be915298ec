import { type EventFeedSubject, inMemoryStore } from '@orders/domain/testing';

/** Creates an empty in-memory store with the feed of its events. */
export function aFeedStore(): EventFeedSubject {
  const { events, purgeEvents, ...store } = inMemoryStore();
  return {
    ...store,
    events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)),
    purge: (cutoff) => Promise.resolve(purgeEvents(cutoff)),
  };
}
