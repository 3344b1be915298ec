import type { Owner } from '@orders/domain';
import { type Numbered, numberEvents } from '../events/numbering-function.ts';
import { unnumberedSearch } from '../events/unnumbered-changes.ts';
import { searchRanges } from '../owners/search-ranges.ts';
import type { Orm } from '../tables/orm.ts';
import { callOf } from '../sql/database-function.ts';
import type { Executor } from '../postgres/executor.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';
import { BATCH, type PurgeStatements } from './purge-statements.ts';

/**
 * Returns a function that lets the events up to a time leave the feeds of all owners. Each gets a position first, so that
 * a reader who is behind receives an error instead of a gap. The function ends early when another server purges.
 */
export function leavingEvents(orm: Orm, batch: LockedBatch, statements: PurgeStatements) {
  const { primary } = batch;
  const number = callOf<Numbered>(orm, numberEvents);

  /** Returns whether this server still purges. */
  const leave = async (owner_id: Owner, time: string, run: PurgeRun): Promise<boolean> => {
    const leaveBatch = async (transaction: Executor): Promise<number> => {
      // Locks the feed until it has left.
      const [numbered] = await number(transaction, { owner_id, until: time });
      if (!numbered) throw new Error('a numbering returned no row');
      const { purged } = numbered.outcome;
      const [left] = await statements.leaveFeed(transaction, { owner_id, purged, time });
      // Fewer than a batch: the next event is too young, or missing.
      return left ? Number(left.purged) - purged : 0;
    };
    return (await batch.repeat(owner_id, leaveBatch, run))?.isComplete !== false;
  };

  const feeds = searchRanges({ orm, primary }, 'feeds', BATCH);
  return async (time: string, run: PurgeRun): Promise<void> => {
    for await (const { owner_id, is_old } of run.walk.rows(unnumberedSearch({ orm, primary }, time), run.owners))
      if (run.signal?.aborted || (is_old && !(await leave(owner_id, time, run)))) return;
    const old = feeds((range, among) => statements.oldFeeds(primary, { ...range, time }, among));
    for await (const { owner_id } of run.walk.rows(old, run.owners)) if (!(await leave(owner_id, time, run))) return;
  };
}
