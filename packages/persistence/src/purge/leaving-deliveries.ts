import type { Owner } from '@orders/domain';
import type { Orm } from '../tables/orm.ts';
import { callOf } from '../sql/database-function.ts';
import { aboutOwners, among, type OwnerRange } from '../owners/living-owners.ts';
import { searchRanges } from '../owners/search-ranges.ts';
import { WEBHOOK_FUNCTIONS } from '../webhooks/queue-functions.ts';
import { DELIVERIES_BATCH } from '../webhooks/queue-sql.ts';
import type { LockedBatch, PurgeRun } from './locked-batch.ts';
import { BATCH } from './purge-statements.ts';

/** The queue of an endpoint with deliveries to delete. */
interface LeavingQueue {
  readonly owner_id: Owner;
  readonly endpoint_id: string;
}

/** Returns the statements that find queues over all owners, and change one of them. */
function leavingStatements(orm: Orm) {
  return {
    /**
     * Finds the queues of a range of owners whose first delivery has left the feed, and those of deleted endpoints. The
     * first delivery is one entry of an index, however many there are.
     */
    queues: aboutOwners<OwnerRange, LeavingQueue>(orm)`select q.owner_id, q.endpoint_id from our.webhook_queues as q
        left join our.webhook_endpoints as e on e.owner_id = q.owner_id and e.id = q.endpoint_id and ${among('e.owner_id')}
        left join our.feeds as f on f.owner_id = q.owner_id and ${among('f.owner_id')}
        where q.owner_id > ${'after'} and q.owner_id <= ${'until'} and ${among('q.owner_id')}
          and (e.id is null or (
            select min(d.position) from our.webhook_deliveries as d
            where d.owner_id = q.owner_id and d.endpoint_id = q.endpoint_id
              and ${among('d.owner_id')}) <= f.purged)
        order by q.owner_id, q.endpoint_id`,

    purge: callOf<number>(orm, WEBHOOK_FUNCTIONS.purge),
  };
}

/**
 * Returns a function that deletes the deliveries whose events have left the feed, and everything of deleted endpoints. The
 * function returns the number of deleted deliveries, and ends early when another server purges.
 */
export function leavingDeliveries(orm: Orm, batch: LockedBatch) {
  const { primary } = batch;
  const statements = leavingStatements(orm);

  // Fewer than a batch: nothing is left, or another transaction has locked the queue.
  const leave = (queue: LeavingQueue, run: PurgeRun) =>
    batch.repeat(
      queue.owner_id,
      async (transaction) => (await statements.purge(transaction, { ...queue }))[0]?.outcome ?? 0,
      run,
      DELIVERIES_BATCH,
    );

  const search = searchRanges(
    { orm, primary },
    'webhook_queues',
    BATCH,
  )((range, among) => statements.queues(primary, range, among));
  return async (run: PurgeRun): Promise<number> => {
    let deleted = 0;
    for await (const queue of run.walk.rows(search, run.owners)) {
      const left = await leave(queue, run);
      deleted += left?.count ?? 0;
      if (left?.isComplete === false) break;
    }
    return deleted;
  };
}
