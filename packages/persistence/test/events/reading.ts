import type { Owner } from '@orders/domain';
import {
  type EventFeed,
  type FeedEvent,
  type FeedPosition,
  type FeedQueryInput,
  parseFeedQuery,
} from '@orders/domain/events';

/** Reads one page. */
export function readPage(feed: EventFeed, owner: Owner, input: FeedQueryInput = {}) {
  return feed.read(owner, parseFeedQuery({ limit: 100, ...input })._unsafeUnwrap());
}

/** Reads from the beginning until the reader has caught up, and returns all events. */
export async function readEverything(feed: EventFeed, owner: Owner): Promise<readonly FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (let after: FeedPosition | undefined; ;) {
    const { data, next, caught_up } = (await readPage(feed, owner, { after }))._unsafeUnwrap();
    all.push(...data);
    if (caught_up) return all;
    after = next;
  }
}
