import { isOwner, type OrderDefinition, type ORDERS } from '@orders/domain';
import {
  type ConsumeOptions,
  type FeedEvent,
  followPages,
  positionOf,
  Retries,
  type RetryOptions,
} from '@orders/domain/events';
import type { Database } from '../database.ts';
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
  ...followOptions
}: ConsumeInTransactionOptions<Em, D>): Promise<void> {
  const options = { ...followOptions, definition: database.definition };
  // A name has the same characters as an owner.
  if (!isOwner(name)) throw new TypeError('the name of a consumer must be 1 to 255 printable ASCII characters');
  const feed = postgresEventFeed(database);
  // Pages are read only after the first `next`, so this only validates.
  followPages(feed, owner, options);
  const consumer = { database, owner, name };
  const load = loadOrCreateCheckpoint(database);
  const loaded = await untilDone(options, () => load(owner, name));
  if (!loaded) return;
  const { result: saved } = loaded;
  const following = { ...options, after: saved ?? undefined, start: saved === null ? options.start : undefined };
  let reached = saved?.position ?? 0;
  for await (const { data, next } of followPages(feed, owner, following)) {
    for (const event of data) {
      const handle = () =>
        withCheckpoint(
          consumer,
          async (position, transaction) => {
            // The response to an earlier COMMIT may have been lost, or another process may run the same consumer.
            if (position >= event.position) return null;
            await handler(event, transaction);
            return positionOf(event);
          },
          'wait',
        );
      if (!(await untilDone(options, handle))) return;
      reached = event.position;
    }
    // Behind events that the consumer does not accept.
    const advance = () =>
      withCheckpoint(consumer, (position) => Promise.resolve(position < next.position ? next : null), 'wait');
    if (reached !== next.position && !(await untilDone(options, advance))) return;
    reached = next.position;
  }
}

/** Runs `work` until it succeeds, and returns its result in an object; `null` when the signal is aborted before. */
async function untilDone<T>(options: RetryOptions, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
  const failures = new Retries(options);
  while (!failures.isOver()) {
    try {
      return { result: await work() };
    } catch (cause) {
      await failures.pause(cause);
    }
  }
  return null;
}
