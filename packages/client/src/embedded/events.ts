import type { OrderDefinition } from '@orders/domain';
import {
  type EventFeed,
  FeedLost,
  type FeedPage,
  type FeedPosition,
  followPages,
  parseFeedQuery,
  presentEvent,
  readEvents,
} from '@orders/domain/events';
import { asSent } from '../calls/json.ts';
import { assertOptions, FOLLOW_OPTIONS } from '../calls/known-options.ts';
import type { ReadEventsError } from '../errors.ts';
import type { Events, FollowOptions } from '../events.ts';
import { elementsOf, RequestFailed } from '../listing.ts';
import type { EventPage } from '../schemas.ts';
import { type AnyDefinition, type OwnerContext, read } from './calls.ts';
import { type DomainError, EVENT_CURSORS, toClientError } from './errors.ts';

/** Binds the feed to one owner. */
export function eventsOf(
  { owner }: OwnerContext,
  source: EventFeed<OrderDefinition>,
  definition: OrderDefinition,
): Events<AnyDefinition> {
  // A feed need not state its definition.
  const feed = { definition, read: source.read.bind(source), wait: source.wait.bind(source) };
  const presentPage = ({ data, next, caught_up }: FeedPage): EventPage<AnyDefinition> => ({
    data: data.map((event) => presentEvent(event, definition)),
    next_cursor: EVENT_CURSORS.encode({ value: next.position, id: next.event }),
    caught_up,
  });

  async function* pages(
    options: FollowOptions<AnyDefinition> = {},
  ): AsyncGenerator<EventPage<AnyDefinition>, void, undefined> {
    assertOptions(options, FOLLOW_OPTIONS);
    const { signal, after, ...rest } = options;
    const query = { ...asSent(rest), after: decode(after) };
    const parsed = parseFeedQuery(query, definition);
    if (parsed.isErr()) throw failed(parsed.error);
    try {
      for await (const page of followPages(feed, owner, { ...query, signal })) yield presentPage(page);
    } catch (error) {
      throw error instanceof FeedLost ? failed(error.reason) : error;
    }
  }

  return {
    page: ({ signal, after, ...rest } = {}) =>
      read({ signal }, () => readEvents(feed, owner, { ...asSent(rest), after: decode(after) }).map(presentPage)),
    follow: (options) => elementsOf(pages(options), options?.signal),
    followPages: pages,
  };
}

function failed(error: DomainError): RequestFailed {
  return new RequestFailed(toClientError<ReadEventsError>(error));
}

function decode(cursor: string | undefined): FeedPosition | undefined {
  const position = EVENT_CURSORS.decode(cursor);
  return position && { position: position.value, event: position.id };
}
