import { databaseFunction } from '../shared/database-function.ts';
import {
  BY_INDEX,
  DELIVERIES_BATCH,
  ENDPOINT,
  IN_ORDER,
  MAKE_FIRSTS_DUE,
  NOW,
  OF_ENDPOINT,
  OWNER,
  QUEUE,
} from './queue-sql.ts';

/**
 * Deletes a batch of the deliveries whose events have left the feed; of a deleted endpoint all, and then its queue. Returns
 * the number of deliveries. A queue that another transaction has locked keeps them.
 */
export const purge = databaseFunction('webhook_purge', [OWNER, ENDPOINT], {
  returns: 'int',
  settings: BY_INDEX,
  body: `declare
    at timestamptz(3);
    is_deleted boolean;
    purged bigint;
    leaving bigint[];
    kinds text[];
    ids uuid[];
    firsts bigint[];
  begin
    perform from webhook_queues as q where ${QUEUE} for update skip locked;
    if not found then
      return 0;
    end if;
    select not exists (
      select from webhook_endpoints as e where e.owner_id = p_owner_id and e.id = p_endpoint_id
    ), (select f.purged from feeds as f where f.owner_id = p_owner_id), ${NOW} into is_deleted, purged, at;
    select array(
      select d.position from webhook_deliveries as d where ${OF_ENDPOINT} and (is_deleted or d.position <= purged)
      order by d.position limit ${DELIVERIES_BATCH}
    ) into leaving;
    if is_deleted and cardinality(leaving) < ${DELIVERIES_BATCH} then
      delete from webhook_queues as q where ${QUEUE};
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
