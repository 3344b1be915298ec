import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import { valueOf } from '../shared/unavailable.ts';
import { assertOptions } from '../shared/validation.ts';
import { assertConsumerName, type OwnerCheckpoints } from './checkpoints.ts';
import { definitionOf, type EventFeed } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';
import { type FeedPosition, positionOf } from './feed-position.ts';
import type { FeedQuery } from './feed-query.ts';
import { type FollowOptions, parseFollowQuery } from './follow-pages.ts';
import { takeTurns, type Turn, TURN_OPTIONS, type TurnOptions } from './owner-turns.ts';
import { type FeedLostHandler, SERVED_PAUSE_MS, takePage } from './page-turn.ts';

/** Handles one event of an owner. An event whose handler throws or rejects is delivered again. */
export type OwnerEventHandler<D extends OrderDefinition = DefaultDefinition> = (
  owner: Owner,
  event: FeedEvent<D>,
) => Promise<void> | void;

/** Options of every consumer of all owners. */
export interface AllOwnersOptions<D extends OrderDefinition = DefaultDefinition>
  extends TurnOptions, Pick<FollowOptions<D>, 'types' | 'include'> {
  /** The name of the consumer: 1 to 255 printable ASCII characters. */
  readonly name: string;
  /** Default: a lost feed is a failure of its owner, which is reported to `onRetry` and tried again. */
  readonly onFeedLost?: FeedLostHandler | undefined;
}

/** A consumer of the events of all owners. */
export interface ConsumeAllOptions<D extends OrderDefinition = DefaultDefinition> extends AllOwnersOptions<D> {
  readonly feed: EventFeed<D>;
  readonly checkpoints: OwnerCheckpoints;
  readonly handler: OwnerEventHandler<D>;
}

/**
 * Delivers the events of all owners to the handler, until `signal` is aborted: those of an owner one at a time and in the
 * order of their positions, and those of a few owners at the same time. Owners take turns of at most 100 events. An owner
 * without a checkpoint begins with its oldest event.
 *
 * Each event is delivered at least once, as by {@link consume}. A handler that throws delays its owner alone. Any number
 * of processes may run the consumer: they share the owners by claims, and continue the work of one that has ended after
 * {@link CLAIM_MS}. A handler that takes longer than that may run in two processes.
 *
 * Resolves after `signal` is aborted, and the running handlers have ended. `types` are those of the definition of the feed.
 *
 * @throws {TypeError} the name or an option is invalid
 * @throws {RangeError} `concurrency` is out of range
 */
export async function consumeAll<D extends OrderDefinition>({
  feed,
  checkpoints,
  handler,
  ...options
}: ConsumeAllOptions<D>): Promise<void> {
  await consumeByTurns<D>({ ...options, checkpoints, definition: definitionOf(feed) }, (owner, _, query) =>
    takeClaimedTurn({ ...options, feed, checkpoints, handler }, owner, query),
  );
}

/** What finds the owners of a consumer in turns. */
export interface TurnsOptions<D extends OrderDefinition> extends AllOwnersOptions<D> {
  readonly checkpoints: Pick<OwnerCheckpoints, 'findBehind' | 'waitForChanges'>;
  readonly definition: OrderDefinition;
}

/**
 * Gives turns to the owners whose feed has events after the position of a consumer, until `signal` is aborted, as
 * {@link takeTurns} does. For an adapter that handles events together with something of its own, as {@link consumeAll} does.
 *
 * @param turn gets the query for the page of an owner, without its position, and the number of failures in a row
 * @throws {TypeError} the name or an option is invalid
 * @throws {RangeError} `concurrency` is out of range
 */
export async function consumeByTurns<D extends OrderDefinition>(
  { checkpoints, definition, ...options }: TurnsOptions<D>,
  turn: (owner: Owner, failures: number, query: FeedQuery<D>) => Promise<Turn>,
): Promise<void> {
  assertOptions(options, ['name', 'types', 'include', 'onFeedLost', ...TURN_OPTIONS]);
  const { name, types, include, concurrency, signal, onRetry, timer } = options;
  assertConsumerName(name);
  const query = parseFollowQuery<D>({ types, include }, definition);
  await takeTurns({
    concurrency,
    signal,
    onRetry,
    timer,
    turn: (owner, failures) => turn(owner, failures, query),
    findOwners: (after) => checkpoints.findBehind(name, after),
    waitForChanges: (state, wait) => checkpoints.waitForChanges(state, wait),
  });
}

/** Handles a page of an owner's events, unless another process does. */
async function takeClaimedTurn<D extends OrderDefinition>(
  { feed, checkpoints, name, handler, onFeedLost, signal, timer }: ConsumeAllOptions<D>,
  owner: Owner,
  query: FeedQuery<D>,
): Promise<Turn> {
  const claim = await valueOf(checkpoints.claim(owner, name));
  if (claim === null) return { isMoreLeft: true, pauseMs: SERVED_PAUSE_MS };
  const save = (position: FeedPosition) => valueOf(checkpoints.saveClaimed(owner, name, claim.fence, position));
  const handle = async ([event]: readonly FeedEvent<D>[]): Promise<boolean> => {
    if (!event) return true;
    await handler(owner, event);
    return await save(positionOf(event));
  };
  const after = claim.position;
  try {
    return await takePage({
      feed,
      owner,
      query: { ...query, after },
      eventsAtOnce: 1,
      handle,
      save,
      onFeedLost,
      signal,
      timer,
    });
  } finally {
    // A claim that is not released expires.
    await checkpoints.release(owner, name, claim.fence);
  }
}
