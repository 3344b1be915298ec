import { type Sql, sql } from '../sql/sql.ts';
import { isOwnersFault } from '../postgres/postgres-errors.ts';
import { aboutOwners, among, type Owners } from '../owners/living-owners.ts';
import type { Orm } from '../tables/orm.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';
import { firstInRange, type FoundRow, type TimeRange } from './purge-statements.ts';

/**
 * Returns a function that deletes the rows of a table whose time in the column `time` is until one, and returns their number.
 * An index by `time` must have the rows of the condition. A batch is that of all
 * owners, by one condition on the table's own columns. If it fails because of one owner, it is repeated for each owner.
 */
export function expiredRows(orm: Orm, batch: LockedBatch, table: Sql, time: Sql, condition = sql`true`) {
  const find = firstInRange<FoundRow>(orm, table, time, sql``, condition);
  const remove = aboutOwners<TimeRange, FoundRow>(orm)`
      delete from ${table}
      where ${condition} and ${time} > ${'after'}::timestamptz and ${time} <= ${'until'}::timestamptz and ${among('owner_id')}
      returning owner_id`;

  /** Returns the number of deleted rows, and `null` when another server purges. */
  const removeOf = async (values: TimeRange, owners: Owners): Promise<number | null> => {
    const removed = await batch.run((transaction) => remove(transaction, values, owners));
    return removed && removed.length;
  };

  const removeOfEach = async (values: TimeRange, found: readonly FoundRow[], { walk }: PurgeRun) => {
    let count = 0;
    for (const owner of new Set(found.map(({ owner_id }) => owner_id))) {
      const removed = await walk.attempt(owner, () => removeOf(values, [owner]));
      if (removed === null) return null;
      count += removed ?? 0;
    }
    return count;
  };

  return async (until: string, run: PurgeRun): Promise<number> => {
    let count = 0;
    for (let after = '-infinity'; !run.signal?.aborted;) {
      const found = await find(batch.primary, { after, until }, run.owners);
      const last = found.at(-1);
      if (!last) break;
      const values = { after, until: last.time };
      const removed = await removeOf(values, run.owners).catch((cause: unknown) => {
        if (!isOwnersFault(cause)) throw cause;
        return removeOfEach(values, found, run);
      });
      if (removed === null) break;
      count += removed;
      after = last.time;
    }
    return count;
  };
}
