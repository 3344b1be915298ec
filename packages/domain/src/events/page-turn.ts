import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Owner } from '../shared/ids.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import type { EventFeed } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { FeedLost } from './feed-lost.ts';
import type { FeedPosition } from './feed-position.ts';
import type { FeedQuery } from './feed-query.ts';
import type { Turn } from './owner-turns.ts';
import { systemTimer, type Timer } from './timer.ts';

/** Pause before an owner whom another process serves comes up again, in milliseconds. */
export const SERVED_PAUSE_MS = 1000;

/** Time after which a turn handles no further events, in milliseconds. */
const TURN_MS = 1000;

/** What a turn of a consumer does with a page of events. */
export interface PageTurn<D extends OrderDefinition> {
  readonly feed: Pick<EventFeed<D>, 'read'>;
  readonly owner: Owner;
  /** The page. Its `after` is the position of the consumer. */
  readonly query: FeedQuery<D>;
  /** Maximum number of events that are handled together, at least 1. */
  readonly eventsAtOnce: number;
  /** Handles events and saves the position after them. Returns `false` if another process serves the owner. */
  readonly handle: (events: readonly FeedEvent<D>[]) => Promise<boolean>;
  /** Saves a position, also one after events that the consumer does not accept. */
  readonly save: (position: FeedPosition) => Promise<unknown>;
  readonly onFeedLost?: FeedLostHandler | undefined;
  readonly signal?: AbortSignalLike | undefined;
  readonly timer?: Timer | undefined;
}

/**
 * Receives an owner whose feed cannot be followed from the position of the consumer, reads again what it needs, and returns
 * the position at which the consumer goes on: for example the `next` of a page with `start: 'latest'` that it has read
 * before, or `lost.reason.oldest` to accept the gap of `events_expired`.
 */
export type FeedLostHandler = (owner: Owner, lost: FeedLost) => Promise<FeedPosition> | FeedPosition;

/**
 * Reads a page of an owner's events and handles them in the order of their positions, until they took a second together.
 *
 * @throws {FeedLost} the feed cannot be followed from the position, and there is no `onFeedLost`
 * @throws the cause of `unavailable`, or what `handle` throws
 */
export async function takePage<D extends OrderDefinition>(turn: PageTurn<D>): Promise<Turn> {
  const { feed, owner, query, eventsAtOnce, handle, save, onFeedLost, signal, timer = systemTimer } = turn;
  const page = await feed.read(owner, query);
  if (page.isErr()) {
    if (page.error.type === 'unavailable') throw page.error.cause;
    const lost = new FeedLost(page.error);
    if (!onFeedLost) throw lost;
    await save(await onFeedLost(owner, lost));
    return { isMoreLeft: true };
  }
  const { data, next, caught_up } = page.value;
  const began = timer.now();
  for (let first = 0; first < data.length; first += eventsAtOnce) {
    if (signal?.aborted || timer.now() - began > TURN_MS) return { isMoreLeft: true };
    const isHandled = await handle(data.slice(first, first + eventsAtOnce));
    if (!isHandled) return { isMoreLeft: true, pauseMs: SERVED_PAUSE_MS };
  }
  const reached = data.at(-1)?.position ?? query.after?.position ?? 0;
  if (next.position !== reached) await save(next);
  // Without progress, changes are there that another transaction has locked: its end is a change, after which a search finds
  // them.
  return { isMoreLeft: !caught_up && next.position !== (query.after?.position ?? 0) };
}
