import type { ResultAsync } from 'neverthrow';
import { assertOwner, type Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { EventFeed, FeedPage, ReadFeedError } from './event-feed.ts';
import { type FeedQueryInput, parseFeedQuery } from './feed-query.ts';

/** The errors of reading events. */
export type ReadEventsError = ReadFeedError | ValidationFailed;

/**
 * Returns one page of an owner's events, in the order of their positions. The first page starts at the oldest event, or
 * with `start: 'latest'` at the end of the feed; each further page at the `next` of the page before.
 *
 * @throws {TypeError} the owner is not 1 to 255 printable ASCII characters
 */
export function readEvents(
  feed: EventFeed,
  owner: Owner,
  input: FeedQueryInput = {},
): ResultAsync<FeedPage, ReadEventsError> {
  assertOwner(owner);
  return parseFeedQuery(input).asyncAndThen((query) => feed.read(owner, query));
}
