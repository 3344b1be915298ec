import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Owner } from '../shared/ids.ts';
import type { EventFeed, FeedPage } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { followPages, type FollowOptions } from './follow-pages.ts';
import type { RetryOptions } from './retries.ts';

/**
 * Iterates over the events of an owner in the order of their positions, and waits for further ones, until `signal` is
 * aborted. A reader that stores `positionOf(event)` of each event it has handled continues there with `after`, also
 * after a restart. Retries {@link Unavailable} after a pause. `types` are those of the definition of the feed.
 *
 * The iterator throws a {@link FeedLost} for `feed_reset` and `events_expired`. With `types`, prefer {@link consume} or
 * {@link followPages}: a position that is stored only for accepted events may expire while none of them occurs.
 *
 * @throws {TypeError} the owner or an option is invalid
 */
export function followEvents<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  options: FollowOptions<D> = {},
): AsyncGenerator<FeedEvent<D>, void, undefined> {
  return eventsOf(followPages(feed, owner, options), options);
}

async function* eventsOf<D extends OrderDefinition>(
  pages: AsyncGenerator<FeedPage<D>, void, undefined>,
  { signal }: RetryOptions,
): AsyncGenerator<FeedEvent<D>, void, undefined> {
  for await (const { data } of pages) {
    for (const event of data) {
      if (signal?.aborted) return;
      yield event;
    }
  }
}
