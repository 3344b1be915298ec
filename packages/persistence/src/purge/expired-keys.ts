import { isOwnersFault } from '../postgres/postgres-errors.ts';
import type { Owners } from '../owners/living-owners.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';
import type { PurgeStatements, TimeRange } from './purge-statements.ts';

/**
 * Returns a function that deletes the keys that have expired until a time, and returns their number. A batch is that of all
 * owners, by one condition on the table's own columns. If it fails because of one owner, it is repeated for each owner.
 */
export function expiredKeys(batch: LockedBatch, statements: PurgeStatements) {
  const { primary } = batch;

  /** Returns the number of deleted keys, and `null` when another server purges. */
  const deleteOfAll = async (values: TimeRange, owners: Owners): Promise<number | null> => {
    const deleted = await batch.run((transaction) => statements.deleteExpiredKeys(transaction, values, owners));
    return deleted && deleted.length;
  };

  const deleteOfEach = async (values: TimeRange, { walk, owners }: PurgeRun): Promise<number | null> => {
    let count = 0;
    for (const { owner_id } of await statements.ownersOfExpiredKeys(primary, values, owners)) {
      const deleted = await walk.attempt(owner_id, () =>
        batch.run((transaction) => statements.deleteExpiredKeys(transaction, values, [owner_id])),
      );
      if (deleted === null) return null;
      count += deleted?.length ?? 0;
    }
    return count;
  };

  return async (until: string, run: PurgeRun): Promise<number> => {
    let count = 0;
    for (let after = '-infinity'; !run.signal?.aborted;) {
      const [end] = await statements.endOfExpiredKeys(primary, { after, until }, run.owners);
      if (typeof end?.time !== 'string') break;
      const values = { after, until: end.time };
      const deleted = await deleteOfAll(values, run.owners).catch((cause: unknown) => {
        if (!isOwnersFault(cause)) throw cause;
        return deleteOfEach(values, run);
      });
      if (deleted === null) break;
      count += deleted;
      after = end.time;
    }
    return count;
  };
}
