import type { ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { assertOwner, type Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { definitionOf, type EventFeed, type FeedPage, type ReadFeedError } from './event-feed.ts';
import { type FeedQueryInput, parseFeedQuery } from './feed-query.ts';

/** The errors of reading events. */
export type ReadEventsError = ReadFeedError | ValidationFailed;

/**
 * Returns one page of an owner's events, in the order of their positions. The first page starts at the oldest event, or
 * with `start: 'latest'` at the end of the feed; each further page at the `next` of the page before. `types` are those of
 * the definition of the feed.
 *
 * @throws {TypeError} the owner is not 1 to 255 printable ASCII characters
 */
export function readEvents<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  input: FeedQueryInput = {},
): ResultAsync<FeedPage<D>, ReadEventsError> {
  assertOwner(owner);
  return parseFeedQuery(input, definitionOf(feed)).asyncAndThen((query) => feed.read(owner, query));
}
