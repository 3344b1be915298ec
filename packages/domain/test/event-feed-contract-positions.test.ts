import type { FeedEvent } from '@orders/domain/events';
import { eventFeedContract, type EventFeedSubject } from '@orders/domain/testing';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { alteringEvents, allOf, compareText, listing, numbering, reading, withFeed } from './faulty-feeds.ts';

const byTime = (left: FeedEvent, right: FeedEvent): number => compareText(left.occurred_at, right.occurred_at);
const byId = (left: FeedEvent, right: FeedEvent): number => compareText(left.id, right.id);

/** Injects a feed whose positions are drawn by each write, also by one that fails. */
const drawnByWrites = (correct: EventFeedSubject): EventFeedSubject => {
  const drawn = new Map<string, number>();
  const burned = new Map<string, number>();
  const draw =
    (owner: string) =>
    <E>(error: E): E => {
      burned.set(owner, (burned.get(owner) ?? 0) + 1);
      return error;
    };
  const { orders, feed } = correct;
  return {
    ...withFeed(correct, {
      read: (owner, query) =>
        feed.read(owner, query).map((page) => {
          const data = page.data.map((event) => {
            if (!drawn.has(event.id)) drawn.set(event.id, event.position + (burned.get(owner) ?? 0));
            return { ...event, position: drawn.get(event.id) ?? 0 };
          });
          return { ...page, data };
        }),
    }),
    orders: {
      ...orders,
      commit: (owner, write) => orders.commit(owner, write).mapErr(draw(owner)),
    },
  };
};

/** Injects a second server that numbers events for itself, newest first. */
const numberedByEachServer = (correct: EventFeedSubject): EventFeedSubject => ({
  ...correct,
  openAnother: () => numbering((left, right) => byId(right, left))(correct),
});

const faults: readonly FaultOf<EventFeedSubject>[] = [
  ['draws positions when events are written, also for failed writes', drawnByWrites, /without holes/],
  [
    'begins at position 0',
    alteringEvents((event) => ({ ...event, position: event.position - 1 })),
    /1, 2, 3, … without holes/,
  ],
  [
    'leaves out deletions',
    listing(
      (correct) => async (owner) => (await allOf(correct, owner)).filter(({ type }) => !type.endsWith('.deleted')),
    ),
    /one for each committed event/,
  ],
  [
    'has an event twice',
    listing((correct) => async (owner) => {
      const all = await allOf(correct, owner);
      return [...all, ...all.slice(0, 1)];
    }),
    /one for each committed event/,
  ],
  [
    'reports only the events of orders',
    (correct) => ({
      ...correct,
      events: async (owner) => (await correct.events(owner)).filter(({ type }) => type.startsWith('order.')),
    }),
    /one for each committed event/,
    /events\(\) of the subject must return every event of orders, customers/,
  ],
  [
    'numbers all events again by their times at each read',
    listing((correct) => async (owner) => (await allOf(correct, owner)).toSorted(byTime)),
    /never change/,
  ],
  [
    'orders events by their ids',
    listing((correct) => async (owner) => (await allOf(correct, owner)).toSorted(byId)),
    /commits late/,
  ],
  ['numbers new events by their ids', numbering(byId), /follow the versions/],
  [
    'numbers new events by their times alone',
    numbering((left, right) => byTime(left, right) || byId(left, right)),
    /follow the versions/,
  ],
  [
    'numbers new events by their orders',
    numbering(
      (left, right) =>
        compareText(left.resource.id, right.resource.id) || left.resource.version - right.resource.version,
    ),
    /follow the times/,
  ],
  [
    'compares versions as text',
    numbering((left, right) => compareText(String(left.resource.version), String(right.resource.version))),
    /follow the versions/,
  ],
  [
    'continues after the time of the last event',
    reading((correct) => {
      const seen = new Map<string, string>();
      return (owner, query) =>
        correct.feed.read(owner, query).map((page) => {
          const data = page.data.filter(({ occurred_at }) => occurred_at > (seen.get(owner) ?? ''));
          seen.set(owner, page.data.at(-1)?.occurred_at ?? seen.get(owner) ?? '');
          return { ...page, data };
        });
    }),
    /commits late/,
  ],
  [
    'shows an event only after the next read',
    listing((correct) => {
      const numbered = new Map<string, readonly FeedEvent[]>();
      return async (owner) => {
        const known = numbered.get(owner) ?? [];
        numbered.set(owner, await allOf(correct, owner));
        return known;
      };
    }),
    /include an acknowledged write/,
  ],
  [
    'numbers the events of all owners in one sequence',
    reading((correct) => {
      const numbers = new Map<string, number>();
      return (owner, query) =>
        correct.feed.read(owner, query).map((page) => {
          for (const { id } of page.data) if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
          return { ...page, data: page.data.map((event) => ({ ...event, position: numbers.get(event.id) ?? 0 })) };
        });
    }),
    /separate for each owner/,
  ],
  [
    'shows the events of all owners who have read',
    listing((correct) => {
      const owners = new Set<string>();
      return async (owner) => {
        owners.add(owner);
        return (await Promise.all([...owners].map((each) => allOf(correct, each)))).flat();
      };
    }),
    /as its events are/,
  ],
  [
    'numbers events without a lock',
    listing((correct) => {
      const numbered = new Map<string, readonly FeedEvent[]>();
      return async (owner) => {
        const known = numbered.get(owner) ?? [];
        const all = await allOf(correct, owner);
        const fresh = all.filter(({ id }) => !known.some((event) => event.id === id));
        const events = [...(numbered.get(owner) ?? []), ...fresh];
        numbered.set(owner, events);
        return events;
      };
    }),
    /same for all readers/,
  ],
  ['numbers events for each server', numberedByEachServer, /same for all readers of two servers/],
];

describe('the contract of the event feed port, on positions,', () => {
  itCatchesFaults(eventFeedContract, aFeedStore, faults);
});
