import type { FeedPage } from '@orders/domain/events';
import { eventFeedContract, type EventFeedSubject } from '@orders/domain/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';
import { alteringData, alteringEvents, alteringPages, alteringQueries, reading } from './faulty-feeds.ts';

/** Injects a feed that returns the same page object to each reader of a position. */
const sharing = reading(({ feed }) => {
  const pages = new Map<string, FeedPage>();
  return (owner, query) => {
    const key = JSON.stringify([owner, query]);
    const known = pages.get(key);
    if (known) return okAsync(known);
    return feed.read(owner, query).map((page) => {
      pages.set(key, page);
      return page;
    });
  };
});

/** Injects a feed whose pages with resources have no limit but that of events. */
const limitless = reading(
  ({ feed }) =>
    (owner, query) =>
      feed.read(owner, query).andThen((first) =>
        first.caught_up || query.include.length === 0
          ? okAsync(first)
          : feed.read(owner, { ...query, after: first.next }).map((second) => ({
              ...second,
              data: [...first.data, ...second.data],
            })),
      ),
);

/** Injects a feed with the first data that it has seen of each resource, or the last. */
const remembering = (which: 'first' | 'last', isFor: (type: string) => boolean) =>
  ((correct) => {
    const seen = new Map<string, unknown>();
    return alteringData(({ type, resource: { id, data } }, owner) => {
      const key = `${owner} ${id}`;
      if (data && (which === 'last' || !seen.has(key))) seen.set(key, data);
      return isFor(type) ? (data ?? seen.get(key) ?? null) : data;
    })(correct);
  }) satisfies FaultOf<EventFeedSubject>[1];

const faults: readonly FaultOf<EventFeedSubject>[] = [
  ...(['order.placed', 'customer.created', 'order.deleted'] as const).map((type): FaultOf<EventFeedSubject> => [
    `leaves out the actor of ${type}`,
    alteringEvents((event) => ({ ...event, actor: event.type === type ? null : event.actor })),
    /members that its write recorded/,
  ]),
  [
    'has an event that no write recorded',
    alteringPages(({ data, next, ...page }) => ({
      ...page,
      data: [...data, ...data.map((event) => ({ ...event, id: next.event }))],
      next,
    })),
    /members that its write recorded, and no others/,
  ],
  [
    'has the owner in its events',
    alteringEvents((event, owner) => ({ ...event, owner })),
    /members that its write recorded, and no others/,
  ],
  [
    'has the version before a deletion',
    alteringEvents((event) => {
      const resource = { ...event.resource, version: event.resource.version - Number(event.type === 'order.deleted') };
      return { ...event, resource };
    }),
    /members that its write recorded/,
  ],
  ['sorts the changed fields', alteringEvents((event) => ({ ...event, changed: event.changed.toSorted() })), /members/],
  [
    'has ids in upper case',
    alteringEvents((event) => ({ ...event, id: event.id.toUpperCase() })),
    /has the members that its write recorded/,
  ],
  [
    'has the position of the first digits of an id',
    alteringPages(({ data, ...page }) => {
      const event = data.at(-1)?.id.replaceAll('-', '').slice(0, 16) ?? page.next.event;
      return { ...page, data, next: { ...page.next, event } };
    }),
    /is named by the position of the reader/,
  ],
  [
    'has the current resource instead of that at the version',
    reading(
      ({ feed, orders }) =>
        (owner, query) =>
          feed.read(owner, query).andThen((page) =>
            ResultAsync.combine(
              page.data.map((event) => {
                if (!event.resource.data || event.resource.type !== 'order') return okAsync(event);
                const { resource } = event;
                return orders
                  .load(owner, resource.id)
                  .map((found) => (found ? { ...event, resource: { ...resource, data: found.aggregate } } : event));
              }),
            ).map((data) => ({ ...page, data })),
          ),
    ),
    /resource at its version/,
  ],
  [
    'sorts the members of metadata',
    alteringData(({ resource: { data } }) => {
      if (!data || !('metadata' in data)) return data;
      const entries = Object.entries(data.metadata).toSorted(([left], [right]) => Number(left > right) - Number(left < right)); // prettier-ignore
      return { ...data, metadata: Object.fromEntries(entries) };
    }),
    /as the write returned it/,
  ],
  [
    'always includes the resource',
    alteringQueries((query) => ({ ...query, include: ['resource'] })),
    /has no resource unless/,
  ],
  ['never includes the resource', alteringQueries((query) => ({ ...query, include: [] })), /if the query includes it/],
  ['has the resource of a deletion', remembering('first', (type) => type === 'order.deleted'), /`null` for a deletion/],
  [
    'has no resource of a deleted order',
    reading(
      ({ feed, orders }) =>
        (owner, query) =>
          feed.read(owner, query).andThen((page) =>
            ResultAsync.combine(
              page.data.map((event) =>
                orders.load(owner, event.resource.id).map((found) => {
                  const { resource, ...members } = event;
                  return found ? event : { ...members, resource: { ...resource, data: null } };
                }),
              ),
            ).map((data) => ({ ...page, data })),
          ),
    ),
    /versions of a deleted order/,
  ],
  [
    'keeps the resource of a deleted customer',
    (correct) => {
      const created = new Map<string, unknown>();
      const { customers } = correct;
      const altered = alteringData(({ resource: { id, data } }) => data ?? created.get(id) ?? null)(correct);
      return {
        ...altered,
        customers: {
          ...customers,
          commit: (owner, write) => {
            if (write.kind === 'create') created.set(write.after.id, write.after);
            return customers.commit(owner, write);
          },
        },
      };
    },
    /every version of a deleted customer/,
  ],
  [
    'finds resources by their ids alone',
    (() => {
      const first = new Map<string, unknown>();
      return alteringData(({ resource: { id, data } }) => {
        if (!first.has(id)) first.set(id, data);
        return first.get(id);
      });
    })(),
    /of its owner and kind/,
  ],
  ['returns its own objects', sharing, /is returned as a copy/],
  ['has more items in a page than it may', limitless, /exceed the items of a page/],
  ['has more free text in a page than it may', limitless, /exceed the free text of a page/],
];

describe('the contract of the event feed port, on events,', () => {
  itCatchesFaults(eventFeedContract, aFeedStore, faults);
});
