import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import type { EventFeed, FeedPage } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { followPages, type FollowOptions, type FollowOptionsOf } from './follow-pages.ts';
import type { RetryOptions } from './retries.ts';

/**
 * Iterates over the events of an owner in the order of their positions, and waits for further ones, until `signal` is
 * aborted. A reader that stores `positionOf(event)` of each event it has handled continues there with `after`, also
 * after a restart. Retries {@link Unavailable} after a pause. The default definition is {@link ORDERS}.
 *
 * The iterator throws a {@link FeedLost} for `feed_reset` and `events_expired`. With `types`, prefer {@link consume} or
 * {@link followPages}: a position that is stored only for accepted events may expire while none of them occurs.
 *
 * @throws {TypeError} the owner or an option is invalid
 */
export function followEvents<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  options: FollowOptionsOf<D>,
): AsyncGenerator<FeedEvent<D>, void, undefined>;
export function followEvents(
  feed: EventFeed,
  owner: Owner,
  options?: FollowOptions,
): AsyncGenerator<FeedEvent, void, undefined>;
export function followEvents(
  feed: EventFeed<OrderDefinition>,
  owner: Owner,
  options: Partial<FollowOptionsOf<OrderDefinition>> = {},
): AsyncGenerator<FeedEvent<OrderDefinition>, void, undefined> {
  const { definition = ORDERS } = options;
  return eventsOf(followPages<OrderDefinition>(feed, owner, { ...options, definition }), options);
}

async function* eventsOf(
  pages: AsyncGenerator<FeedPage<OrderDefinition>, void, undefined>,
  { signal }: RetryOptions,
): AsyncGenerator<FeedEvent<OrderDefinition>, void, undefined> {
  for await (const { data } of pages) {
    for (const event of data) {
      if (signal?.aborted) return;
      yield event;
    }
  }
}
