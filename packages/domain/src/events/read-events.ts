import type { ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import { assertOwner, type Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { EventFeed, FeedPage, ReadFeedError } from './event-feed.ts';
import { type FeedQueryInput, parseFeedQuery } from './feed-query.ts';

/** The errors of reading events. */
export type ReadEventsError = ReadFeedError | ValidationFailed;

/**
 * Returns one page of an owner's events, in the order of their positions. The first page starts at the oldest event, or
 * with `start: 'latest'` at the end of the feed; each further page at the `next` of the page before. The default
 * definition is {@link ORDERS}.
 *
 * @throws {TypeError} the owner is not 1 to 255 printable ASCII characters
 */
export function readEvents<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  input: FeedQueryInput,
  definition: D,
): ResultAsync<FeedPage<D>, ReadEventsError>;
export function readEvents(
  feed: EventFeed,
  owner: Owner,
  input?: FeedQueryInput,
): ResultAsync<FeedPage, ReadEventsError>;
export function readEvents(
  feed: EventFeed<OrderDefinition>,
  owner: Owner,
  input: FeedQueryInput = {},
  definition: OrderDefinition = ORDERS,
): ResultAsync<FeedPage<OrderDefinition>, ReadEventsError> {
  assertOwner(owner);
  return parseFeedQuery(input, definition).asyncAndThen((query) => feed.read(owner, query));
}
