import type { OrderDefinition, Owner } from '@orders/domain';
import type { FeedPosition } from '@orders/domain/events';
import { ok } from 'neverthrow';
import type { Database } from '../database/database.ts';
import { inSchema } from '../tables/schema.ts';
import { type CheckpointRow, toFeedPosition } from './postgres-checkpoints.ts';
import type { Transaction } from '../transaction/transaction.ts';

/** The consumer whose checkpoint is locked. */
export interface ConsumerOf<Em, D extends OrderDefinition> {
  readonly database: Database<Em, D>;
  readonly owner: Owner;
  readonly name: string;
}

const LOCK = 'select position, event from our.checkpoints where owner_id = $1 and name = $2 for update';

const SAVE = 'update our.checkpoints set position = $3, event = $4 where owner_id = $1 and name = $2';

/**
 * Locks a checkpoint, runs `work` in the same transaction and saves the position that it returns; none for `null`. `work`
 * gets the stored position, `null` before the first. Nothing is done if the checkpoint does not exist. Returns the saved
 * position.
 *
 * @param locked with `skip locked`, nothing is done while another transaction has the lock either
 * @throws what `work` throws, or the failure of the transaction, which stores nothing
 */
export async function withCheckpoint<Em, D extends OrderDefinition>(
  { database, owner, name }: ConsumerOf<Em, D>,
  work: (stored: FeedPosition | null, transaction: Transaction<Em, D>) => PromiseLike<FeedPosition | null>,
  locked: 'wait' | 'skip locked',
): Promise<FeedPosition | null> {
  const stored = await database.transaction(
    async (transaction) => {
      const query = (text: string, values: readonly unknown[] = []) =>
        transaction.client.query<CheckpointRow>(inSchema(database.orm, text), [owner, name, ...values]);
      const [row] = (await query(locked === 'wait' ? LOCK : `${LOCK} skip locked`)).rows;
      const place = row ? await work(toFeedPosition(row), transaction) : null;
      if (place) await query(SAVE, [place.position, place.event]);
      return ok(place);
    },
    { owner },
  );
  if (stored.isErr()) throw stored.error;
  return stored.value;
}
