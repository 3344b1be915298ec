import type { Owner } from '@orders/domain';
import { type Numbered, numberEvents } from '../events/numbering-function.ts';
import { unnumberedSearch } from '../events/unnumbered-changes.ts';
import { searchRanges } from '../owners/search-ranges.ts';
import type { Orm } from '../tables/orm.ts';
import { callOf } from '../sql/database-function.ts';
import type { Executor } from '../postgres/executor.ts';
import { aboutOwners, among, type OwnerRange } from '../owners/living-owners.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';
import { BATCH } from './purge-statements.ts';

/** A feed whose first events leave it. */
interface Leaving {
  readonly owner_id: Owner;
  readonly purged: number;
  readonly time: string;
}

/** Returns the statements that find feeds over all owners, and change one of them. */
function leavingStatements(orm: Orm) {
  return {
    /** Finds the feeds of a range of owners whose first event is old enough to leave: one entry of an index for each. */
    oldFeeds: aboutOwners<OwnerRange & { readonly time: string }, { owner_id: Owner }>(orm)`
        select f.owner_id from our.feeds as f
        where f.owner_id > ${'after'} and f.owner_id <= ${'until'} and ${among('f.owner_id')}
          and (
            select c.occurred_at from our.changes as c
            where c.owner_id = f.owner_id and c.position > f.purged and ${among('c.owner_id')}
            order by c.position limit 1) <= ${'time'}::timestamptz`,

    /**
     * Lets a batch of events leave a locked feed, and returns the position of the last. It ends before the first event that
     * is too young, because the events of a feed have no holes.
     */
    leaveFeed: prepare<Leaving, { purged: string }>(orm)`
        with first as (
          select c.position, c.event_id, c.occurred_at <= ${'time'}::timestamptz as is_old
          from our.changes as c
          where c.owner_id = ${'owner_id'} and c.position > ${'purged'}::bigint
          order by c.position limit ${sql.lit(BATCH)}
        ),
        last as (
          select o.position, o.event_id from first as o
          where o.position < coalesce((select min(y.position) from first as y where not y.is_old), o.position + 1)
          order by o.position desc limit 1
        )
        update our.feeds as f set purged = l.position, purged_id = l.event_id from last as l
        where f.owner_id = ${'owner_id'}
        returning f.purged`,
  };
}

/**
 * Returns a function that lets the events up to a time leave the feeds of all owners. Each gets a position first, so that
 * a reader who is behind receives an error instead of a gap. The function ends early when another server purges.
 */
export function leavingEvents(orm: Orm, batch: LockedBatch) {
  const { primary } = batch;
  const statements = leavingStatements(orm);
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
