import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Owner } from '../shared/ids.ts';
import type { EventFeed, FeedPage } from './event-feed.ts';
import { FeedLost } from './feed-lost.ts';
import { type FeedPosition, isSamePosition } from './feed-position.ts';
import { followPages, type FollowOptions } from './follow-pages.ts';

/** A checkpoint that a consumer keeps in its store. */
export interface KeptCheckpoint<D extends OrderDefinition> {
  /** Returns the position of the checkpoint, `null` before the first; `undefined` if the signal is aborted before. */
  readonly load: () => Promise<FeedPosition | null | undefined>;
  /**
   * Handles a page that begins after `reached`, and moves the checkpoint to its `next`. Returns `false` if the checkpoint is
   * elsewhere, so that it is loaded again, and if the signal is aborted.
   */
  readonly take: (page: FeedPage<D>, reached: FeedPosition | null) => Promise<boolean>;
}

/**
 * Follows the pages of an owner from a checkpoint, until the signal is aborted. The store may go back to an earlier time
 * meanwhile, and the checkpoint with it: where the reader is lost, or the checkpoint has moved, it goes on from the checkpoint.
 * For an adapter that handles events together with something of its own, as {@link consume} does.
 *
 * @param options `start` has a meaning only without a position
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner or an option is invalid
 */
export async function followCheckpoint<D extends OrderDefinition>(
  feed: EventFeed<D>,
  owner: Owner,
  options: Omit<FollowOptions<D>, 'after'>,
  { load, take }: KeptCheckpoint<D>,
): Promise<void> {
  // Pages are read only after the first `next`, so this only validates.
  followPages(feed, owner, options);
  let reached: FeedPosition | null = null;
  const takePages = async (): Promise<void> => {
    const from = reached === null ? {} : { after: reached, start: undefined };
    for await (const page of followPages(feed, owner, { ...options, ...from })) {
      if (!(await take(page, reached))) return;
      reached = page.next;
    }
  };
  let lost: FeedLost | undefined;
  do {
    const loaded = await load();
    if (loaded === undefined) return;
    if (lost && isSamePosition(loaded, reached)) throw lost;
    reached = loaded;
    lost = await takePages().then(() => undefined, onlyLost);
  } while (!(options.signal?.aborted ?? false));
}

/** Returns the reason why a feed is lost. Throws any other one. */
function onlyLost(cause: unknown): FeedLost {
  if (cause instanceof FeedLost) return cause;
  throw cause;
}
