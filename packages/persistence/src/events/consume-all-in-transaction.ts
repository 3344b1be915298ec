import { type OrderDefinition, type ORDERS, type Owner, PAGE_LIMIT_MAX } from '@orders/domain';
import {
  type AllOwnersOptions,
  consumeByTurns,
  FEED_START,
  isSamePosition,
  type FeedEvent,
  type FeedPosition,
  positionOf,
  takePage,
} from '@orders/domain/events';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { postgresEventFeed } from './event-feed.ts';
import { withCheckpoint } from './locked-checkpoint.ts';
import { loadOrCreateCheckpoint, postgresCheckpoints } from './postgres-checkpoints.ts';

/** Handles one event of an owner in the transaction that also saves the checkpoint. */
export type OwnerTransactionalHandler<Em = unknown, D extends OrderDefinition = typeof ORDERS> = (
  owner: Owner,
  event: FeedEvent<D>,
  transaction: Transaction<Em, D>,
) => PromiseLike<void> | void;

/** A consumer of the events of all owners, in transactions. */
export interface ConsumeAllInTransactionOptions<
  Em = unknown,
  D extends OrderDefinition = typeof ORDERS,
> extends AllOwnersOptions<D> {
  readonly database: Database<Em, D>;
  readonly handler: OwnerTransactionalHandler<Em, D>;
  /**
   * Maximum number of events of an owner that one transaction handles: 1 to 100. More take less time each, and hold what the
   * handler has locked for longer. Default: 1.
   */
  readonly eventsPerTransaction?: number | undefined;
}

/**
 * Delivers the events of all owners to the handler, until `signal` is aborted: those of an owner one at a time and in the
 * order of their positions, and those of a few owners at the same time. Owners take turns of at most 100 events. What the
 * handler writes through the transaction is stored exactly once for each event, as by {@link consumeInTransaction}, and for
 * several events in one transaction if `eventsPerTransaction` says so. An owner without a checkpoint begins with its oldest
 * event.
 *
 * A handler that throws delays its owner alone: the owner is tried again with pauses that grow up to 30 s, one event per
 * transaction. Any number of processes may run the consumer and share the owners; none waits for another.
 *
 * Resolves after `signal` is aborted, and the running handlers have ended.
 *
 * @throws {TypeError} the name or an option is invalid
 * @throws {RangeError} `concurrency` or `eventsPerTransaction` is out of range
 */
export async function consumeAllInTransaction<Em = unknown, D extends OrderDefinition = typeof ORDERS>({
  database,
  handler,
  eventsPerTransaction = 1,
  ...options
}: ConsumeAllInTransactionOptions<Em, D>): Promise<void> {
  if (!Number.isInteger(eventsPerTransaction) || eventsPerTransaction < 1 || eventsPerTransaction > PAGE_LIMIT_MAX)
    throw new RangeError(
      `eventsPerTransaction must be an integer from 1 to ${PAGE_LIMIT_MAX}, got ${eventsPerTransaction}`,
    );
  const feed = postgresEventFeed(database);
  const load = loadOrCreateCheckpoint(database);
  const { name, onFeedLost, signal, timer } = options;
  const { definition } = database;
  const checkpoints = postgresCheckpoints(database);
  await consumeByTurns<D>({ ...options, checkpoints, definition }, async (owner, failures, query) => {
    const after = await load(owner, name);
    let reached = after;
    /** Runs `work` if the position is still the one that this process has read from; returns whether it is. */
    const atPosition = async (work: (transaction: Transaction<Em, D>) => PromiseLike<FeedPosition>) => {
      const saved = await withCheckpoint(
        { database, owner, name },
        async (stored, transaction) => (isSamePosition(stored, reached) ? await work(transaction) : null),
        'skip locked',
      );
      if (saved) reached = saved;
      return saved !== null;
    };
    return await takePage({
      feed,
      owner,
      query: { ...query, after },
      onFeedLost,
      signal,
      timer,
      // The events before one that cannot be handled are stored, too.
      eventsAtOnce: failures === 0 ? eventsPerTransaction : 1,
      handle: (events) =>
        atPosition(async (transaction) => {
          let place = FEED_START;
          for (const event of events) {
            await handler(owner, event, transaction);
            place = positionOf(event);
          }
          return place;
        }),
      save: (position) => atPosition(() => Promise.resolve(position)),
    });
  });
}
