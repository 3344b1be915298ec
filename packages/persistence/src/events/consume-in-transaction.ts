import { isOwner, type OrderDefinition, type ORDERS, type Owner } from '@orders/domain';
import {
  type ConsumeOptions,
  FEED_START,
  type FeedEvent,
  type FeedPosition,
  followPages,
  positionOf,
  Retries,
  type RetryOptions,
} from '@orders/domain/events';
import { ok } from 'neverthrow';
import type { Database } from '../database.ts';
import { inSchema } from '../tables/schema.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { postgresEventFeed } from './event-feed.ts';
import { postgresCheckpoints } from './postgres-checkpoints.ts';

/** Handles one event in the transaction that also saves the checkpoint. */
export type TransactionalHandler<Em = unknown, D extends OrderDefinition = typeof ORDERS> = (
  event: FeedEvent<D>,
  transaction: Transaction<Em, D>,
) => PromiseLike<void> | void;

/** Creates the checkpoint of a consumer before its first event. */
const CREATE = `insert into our.checkpoints (owner_id, name, position, event) values ($1, $2, $3, $4)
  on conflict (owner_id, name) do nothing`;

const LOCK = 'select position from our.checkpoints where owner_id = $1 and name = $2 for update';

const SAVE = 'update our.checkpoints set position = $3, event = $4 where owner_id = $1 and name = $2';

/**
 * Delivers the events of an owner to `handler`, one at a time and in the order of their positions, until the signal of the
 * options is aborted. Each event is handled in a transaction of its own, which also saves the checkpoint of the consumer
 * `name`. What the handler writes through the transaction is therefore stored exactly once for each event, also when
 * processes or connections end in between, and when several processes run the consumer.
 *
 * The handler is called again, in a new transaction, after it throws and after a failure of the database, with pauses that
 * grow up to 30 s. Effects outside the transaction may happen more than once.
 *
 * Resolves after the signal is aborted, and the running handler has ended.
 *
 * @throws {FeedLost} the feed cannot be followed from the checkpoint
 * @throws {TypeError} the owner, the name or an option is invalid
 */
export async function consumeInTransaction<Em = unknown, D extends OrderDefinition = typeof ORDERS>(
  database: Database<Em, D>,
  owner: Owner,
  name: string,
  handler: TransactionalHandler<Em, D>,
  consumeOptions: ConsumeOptions<D> = {},
): Promise<void> {
  const options = { ...consumeOptions, definition: database.definition };
  // A name has the same characters as an owner.
  if (!isOwner(name)) throw new TypeError('the name of a consumer must be 1 to 255 printable ASCII characters');
  const feed = postgresEventFeed(database);
  // Pages are read only after the first `next`, so this only validates.
  followPages(feed, owner, options);
  const checkpoints = postgresCheckpoints(database);
  const load = () =>
    checkpoints.load(owner, name).match(
      (saved) => saved,
      ({ cause }) => {
        throw cause;
      },
    );
  const loaded = await untilDone(options, async () => ({ saved: await load() }));
  if (!loaded) return;
  let place = loaded.saved ?? FEED_START;
  const start = loaded.saved === null ? options.start : undefined;
  for await (const { data, next } of followPages(feed, owner, {
    ...options,
    after: loaded.saved ?? undefined,
    start,
  })) {
    for (const event of data) {
      const before = place;
      const handled = await untilDone(options, () => handleOnce({ database, owner, name, handler }, event, before));
      if (!handled) return;
      place = positionOf(event);
    }
    if (place.position === next.position) continue;
    const consumer = [owner, name] as const;
    const advanced = await untilDone(options, () => advance(database, consumer, next));
    if (!advanced) return;
    place = next;
  }
}

interface Consumer<Em, D extends OrderDefinition> {
  readonly database: Database<Em, D>;
  readonly owner: Owner;
  readonly name: string;
  readonly handler: TransactionalHandler<Em, D>;
}

/** Handles an event and saves its position, unless the checkpoint has reached it. */
async function handleOnce<Em, D extends OrderDefinition>(
  { database, owner, name, handler }: Consumer<Em, D>,
  event: FeedEvent<D>,
  before: FeedPosition,
): Promise<true> {
  const consumer = [owner, name] as const;
  const handled = await database.transaction(
    async (transaction) => {
      const query = queryIn(database, transaction);
      // The response to an earlier COMMIT may have been lost, or another process may run the same consumer.
      if ((await lock(query, consumer, before)) >= event.position) return ok(undefined);
      await handler(event, transaction);
      await save(query, consumer, positionOf(event));
      return ok(undefined);
    },
    { owner },
  );
  if (handled.isErr()) throw handled.error;
  return true;
}

/** Saves the position behind events that the consumer does not accept. */
async function advance<Em, D extends OrderDefinition>(
  database: Database<Em, D>,
  consumer: readonly [Owner, string],
  next: FeedPosition,
): Promise<true> {
  const advanced = await database.transaction(
    async (transaction) => {
      const query = queryIn(database, transaction);
      if ((await lock(query, consumer, next)) < next.position) await save(query, consumer, next);
      return ok(undefined);
    },
    { owner: consumer[0] },
  );
  if (advanced.isErr()) throw advanced.error;
  return true;
}

/** Runs a statement on checkpoints. */
type Query = (text: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly { position: string }[] }>;

function queryIn({ orm }: Pick<Database, 'orm'>, { client }: Pick<Transaction, 'client'>): Query {
  return (text, values) => client.query<{ position: string }>(inSchema(orm, text), values);
}

/** Locks the checkpoint until the transaction ends, and returns its position. Creates it at first. */
async function lock(
  query: Query,
  consumer: readonly [Owner, string],
  { position, event }: FeedPosition,
): Promise<number> {
  await query(CREATE, [...consumer, position, event]);
  const { rows } = await query(LOCK, consumer);
  return Number(rows[0]?.position);
}

async function save(
  query: Query,
  consumer: readonly [Owner, string],
  { position, event }: FeedPosition,
): Promise<void> {
  await query(SAVE, [...consumer, position, event]);
}

/** Runs `work` until it succeeds, and returns its result; `undefined` when the signal is aborted before. */
async function untilDone<T>(options: RetryOptions, work: () => Promise<T>): Promise<T | undefined> {
  const failures = new Retries(options);
  while (!failures.isOver()) {
    try {
      return await work();
    } catch (cause) {
      await failures.pause(cause);
    }
  }
  return undefined;
}
