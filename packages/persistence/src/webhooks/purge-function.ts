import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { LOCKED_QUEUE, lockQueueUnlessLocked, SET_TIME } from './queue-row-sql.ts';
import { DELIVERIES_BATCH, ENDPOINT, IN_ORDER, MAKE_FIRSTS_DUE, OF_ENDPOINT } from './queue-sql.ts';

/**
 * Deletes a batch of the deliveries whose events have left the feed; of a deleted endpoint all, and then its queue. Returns
 * the number of deliveries. A queue that another transaction has locked keeps them.
 */
export const purge = databaseFunction('webhook_purge', {
  parameters: ENDPOINT,
  returns: 'int',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    newest bigint;
    queue record;
    is_deleted boolean;
    purged bigint;
    size int;
    last bigint;
    next_status text;
    kinds text[];
    ids uuid[];
    firsts bigint[];
    first bigint;
  begin
    ${lockQueueUnlessLocked('p_endpoint_id')}
    if not found then
      return 0;
    end if;
    ${SET_TIME}
    select not exists (
      select from our.webhook_endpoints as e where e.owner_id = p_owner_id and e.id = p_endpoint_id
    ) into is_deleted;
    -- One bound for both: a scan has no end with a condition of which one part is no column.
    select case when is_deleted then ${Number.MAX_SAFE_INTEGER} else (
      select f.purged from our.feeds as f where f.owner_id = p_owner_id
    ) end into purged;
    select count(*), max(l.position), array_agg(l.aggregate) filter (where l.is_waiting),
      array_agg(l.aggregate_id) filter (where l.is_waiting)
    into size, last, kinds, ids
    from (
      select d.position, d.aggregate, d.aggregate_id, ${IN_ORDER} as is_waiting from our.webhook_deliveries as d
      where ${OF_ENDPOINT} and d.position <= purged
      order by d.position limit ${DELIVERIES_BATCH}
    ) as l;
    if is_deleted and size < ${DELIVERIES_BATCH} then
      delete from our.webhook_queues as q where ${LOCKED_QUEUE};
    end if;
    -- By status, so that every index with a position finds them by a range. For a list of
    -- positions, the planner may read all deliveries of a large endpoint beside many small ones. Pending ones last: the
    -- others may become pending meanwhile.
    foreach next_status in array array['delivered', 'failed', 'pending'] loop
      delete from our.webhook_deliveries as d where ${OF_ENDPOINT} and d.status = next_status and d.position <= last;
    end loop;
    if not is_deleted then
      ${MAKE_FIRSTS_DUE}
    end if;
    return size;
  end`,
});
