import { isOwner, type OrderDefinition, type ORDERS } from '@orders/domain';
import {
  type ConsumeOptions,
  type FeedEvent,
  type FeedPage,
  type FeedPosition,
  followCheckpoint,
  isSamePosition,
  positionOf,
  Retries,
} from '@orders/domain/events';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { postgresEventFeed } from './event-feed.ts';
import { withCheckpoint } from './locked-checkpoint.ts';
import { loadOrCreateCheckpoint } from './postgres-checkpoints.ts';

/** Handles one event in the transaction that also saves the checkpoint. */
export type TransactionalHandler<Em = unknown, D extends OrderDefinition = typeof ORDERS> = (
  event: FeedEvent<D>,
  transaction: Transaction<Em, D>,
) => PromiseLike<void> | void;

/** A consumer in transactions. `start` has a meaning only without a checkpoint. */
export interface ConsumeInTransactionOptions<Em = unknown, D extends OrderDefinition = typeof ORDERS> extends Omit<
  ConsumeOptions<D>,
  'feed' | 'checkpoints' | 'handler'
> {
  readonly database: Database<Em, D>;
  readonly handler: TransactionalHandler<Em, D>;
}

/**
 * Delivers the events of an owner to the handler, one at a time and in the order of their positions, until `signal` is
 * aborted. Each event is handled in a transaction of its own, which also saves the checkpoint of the consumer. What the
 * handler writes through the transaction is therefore stored exactly once for each event, also when processes or
 * connections end in between, and when several processes run the consumer.
 *
 * The handler is called again, in a new transaction, after it throws and after a failure of the database, with pauses that
 * grow up to 30 s. Effects outside the transaction may happen more than once.
 *
 * When the database goes back to an earlier time, by a restore, it goes on from the restored checkpoint.
 *
 * Resolves after the signal is aborted, and the running handler has ended.
 *
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner, the name or an option is invalid
 */
export async function consumeInTransaction<Em = unknown, D extends OrderDefinition = typeof ORDERS>({
  database,
  owner,
  name,
  handler,
  ...options
}: ConsumeInTransactionOptions<Em, D>): Promise<void> {
  // A name has the same characters as an owner.
  if (!isOwner(name)) throw new TypeError('the name of a consumer must be 1 to 255 printable ASCII characters');
  const feed = postgresEventFeed(database);
  const loadOrCreate = loadOrCreateCheckpoint(database);
  const load = async () => (await new Retries(options).until(() => loadOrCreate(owner, name)))?.result;
  /** Handles an event, if any, and moves the checkpoint behind it. Returns where the checkpoint is, if it exists. */
  const move = async (
    from: FeedPosition | null,
    to: FeedPosition,
    event: FeedEvent<D> | undefined,
  ): Promise<FeedPosition | null | undefined> => {
    let at: FeedPosition | null | undefined;
    const work = async (stored: FeedPosition | null, transaction: Transaction<Em, D>) => {
      at = stored;
      if (!isSamePosition(stored, from)) return null;
      if (event) await handler(event, transaction);
      return to;
    };
    return (await withCheckpoint({ database, owner, name }, work, 'wait')) ?? at;
  };
  const take = async ({ data, next }: FeedPage<D>, after: FeedPosition | null): Promise<boolean> => {
    let reached = after;
    const places = [...data.map((event) => positionOf(event)), next];
    for (const [index, to] of places.entries()) {
      if (reached !== null && to.position <= reached.position) continue;
      if (options.signal?.aborted) return false;
      const moved = await new Retries(options).until(() => move(reached, to, data[index]));
      if (!moved || moved.result === undefined) return false;
      // The response to an earlier COMMIT may have been lost, or another process may run the same consumer.
      const { result: at } = moved;
      if (!places.slice(index).some((place) => isSamePosition(place, at))) return false;
      reached = at;
    }
    return true;
  };
  await followCheckpoint(feed, owner, options, { load, take });
}
