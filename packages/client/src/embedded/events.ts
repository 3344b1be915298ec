import type { OrderDefinition } from '@orders/domain';
import {
  type EventFeed,
  type FeedEvent,
  FeedLost,
  type FeedPage,
  type FeedPosition,
  followPages,
  parseFeedQuery,
} from '@orders/domain/events';
import { assertOptions } from '../calls/known-options.ts';
import { type OwnerContext, readAs } from './calls.ts';
import type { OwnerEvent, OwnerEventPage, OwnerEvents, OwnerFollowOptions } from './client.ts';
import { toOwnerError } from './errors-of-domain.ts';
import type { OwnerErrors } from './errors.ts';
import { presentOrder } from './orders.ts';
import { decodeNumber, encodePosition, RequestFailed } from './pages.ts';
import { presentEndpoint } from './webhooks.ts';

type D = OrderDefinition;

/** Binds the feed to one owner. */
export function eventsOf({ owner }: OwnerContext, feed: EventFeed<D>, definition: D): OwnerEvents<D> {
  const presentPage = ({ data, next, caught_up }: FeedPage<D>): OwnerEventPage<D> => ({
    data: data.map((event) => presentEvent(event, definition)),
    next_cursor: encodePosition({ value: next.position, id: next.event }),
    caught_up,
  });

  async function* pages(options: OwnerFollowOptions<D> = {}): AsyncGenerator<OwnerEventPage<D>, void, undefined> {
    assertOptions(options, ['signal', 'after', 'start', 'types', 'include']);
    const { signal, after, ...rest } = options;
    const query = { ...rest, after: decode(after) };
    const parsed = parseFeedQuery(query, definition);
    if (parsed.isErr()) throw new RequestFailed(toOwnerError<OwnerErrors['events']>(parsed.error));
    try {
      for await (const page of followPages(feed, owner, { ...query, signal, definition })) yield presentPage(page);
    } catch (error) {
      throw error instanceof FeedLost ? new RequestFailed(toOwnerError<OwnerErrors['events']>(error.reason)) : error;
    }
  }

  async function* events(options?: OwnerFollowOptions<D>): AsyncGenerator<OwnerEvent<D>, void, undefined> {
    for await (const { data } of pages(options)) {
      for (const event of data) {
        if (options?.signal?.aborted === true) return;
        yield event;
      }
    }
  }

  return {
    page: ({ signal, after, ...rest } = {}) =>
      readAs({ signal }, () =>
        parseFeedQuery({ ...rest, after: decode(after) }, definition)
          .asyncAndThen((query) => feed.read(owner, query))
          .map(presentPage),
      ),
    follow: events,
    followPages: pages,
  };
}

function decode(cursor: string | undefined): FeedPosition | undefined {
  const position = decodeNumber(cursor);
  return position && { position: position.value, event: position.id };
}

function presentEvent({ resource, ...event }: FeedEvent<D>, definition: D): OwnerEvent<D> {
  switch (resource.type) {
    case 'order': {
      const { data, ...rest } = resource;
      if (data === undefined) return { ...event, resource: rest };
      return { ...event, resource: { ...rest, data: data && presentOrder(data, definition) } };
    }
    case 'customer':
      return { ...event, resource };
    case 'webhook_endpoint': {
      const { data, ...rest } = resource;
      if (data === undefined) return { ...event, resource: rest };
      return { ...event, resource: { ...rest, data: data && presentEndpoint(data) } };
    }
  }
}
