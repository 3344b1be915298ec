import type { EventsExpired, FeedReset } from './event-feed.ts';

/**
 * The reader has missed events, or has seen events that never happened: the feed cannot be followed from its position.
 * The reader must read everything again, for example each order of a list, and then follow from `start: 'latest'`.
 */
export class FeedLost extends Error {
  override readonly name = 'FeedLost';
  readonly reason: FeedReset | EventsExpired;

  constructor(reason: FeedReset | EventsExpired) {
    super(
      reason.type === 'feed_reset'
        ? 'the feed has another event at the position of the reader: the store was restored to an earlier time'
        : 'events after the position of the reader were purged',
    );
    this.reason = reason;
  }
}
