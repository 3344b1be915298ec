import { databaseFunction } from '../shared/database-function.ts';
import { LOCKED_QUEUE, lockQueueUnlessLocked, SET_TIME } from './queue-row-sql.ts';
import { DELIVERIES_BATCH, ENDPOINT, IN_ORDER, MAKE_FIRSTS_DUE, OF_ENDPOINT, OWNER, QUEUE_PLANS } from './queue-sql.ts';

/**
 * Deletes a batch of the deliveries whose events have left the feed; of a deleted endpoint all, and then its queue. Returns
 * the number of deliveries. A queue that another transaction has locked keeps them.
 */
export const purge = databaseFunction('webhook_purge', [OWNER, ENDPOINT], {
  returns: 'int',
  settings: QUEUE_PLANS,
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    newest bigint;
    queue record;
    is_deleted boolean;
    purged bigint;
    leaving bigint[];
    kinds text[];
    ids uuid[];
    firsts bigint[];
  begin
    ${lockQueueUnlessLocked('p_endpoint_id')}
    if not found then
      return 0;
    end if;
    ${SET_TIME}
    select not exists (
      select from webhook_endpoints as e where e.owner_id = p_owner_id and e.id = p_endpoint_id
    ) into is_deleted;
    -- One bound for both: a scan has no end with a condition of which one part is no column.
    select case when is_deleted then ${Number.MAX_SAFE_INTEGER} else (
      select f.purged from feeds as f where f.owner_id = p_owner_id
    ) end into purged;
    select array(
      select d.position from webhook_deliveries as d where ${OF_ENDPOINT} and d.position <= purged
      order by d.position limit ${DELIVERIES_BATCH}
    ) into leaving;
    if is_deleted and cardinality(leaving) < ${DELIVERIES_BATCH} then
      delete from webhook_queues as q where ${LOCKED_QUEUE};
    end if;
    select array_agg(a.aggregate), array_agg(a.aggregate_id) into kinds, ids
    from (
      select distinct d.aggregate, d.aggregate_id from webhook_deliveries as d
      where ${OF_ENDPOINT} and d.position = any(leaving) and ${IN_ORDER}
    ) as a;
    delete from webhook_deliveries as d where ${OF_ENDPOINT} and d.position = any(leaving);
    if not is_deleted then
      ${MAKE_FIRSTS_DUE}
    end if;
    return cardinality(leaving);
  end`,
});
