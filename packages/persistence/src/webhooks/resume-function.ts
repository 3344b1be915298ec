import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { LOCK_QUEUE, LOCKED_QUEUE, SET_TIME } from './queue-row-sql.ts';
import { DELIVERIES_BATCH, ENDPOINT, OF_ENDPOINT } from './queue-sql.ts';

/**
 * Ends the wait of an endpoint, for a batch of the deliveries that wait for a further attempt. One in flight keeps its lease
 * and gets new attempts, by which its settlement recognises that it was requested again. Returns whether more are left.
 */
export const resume = databaseFunction('webhook_resume', {
  parameters: ENDPOINT,
  returns: 'json',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    queue record;
    positions bigint[];
    place bigint;
  begin
    ${LOCK_QUEUE}
    if not found then
      return json_build_object('more', false);
    end if;
    ${SET_TIME}
    update our.webhook_queues as q set revision = queue.revision + 1, failing = 0, fresh_after = null
    where ${LOCKED_QUEUE} and q.failing > 0;
    select array_agg(r.position) into positions
    from (
      select d.position from our.webhook_deliveries as d
      where ${OF_ENDPOINT} and not d.fresh and d.due_at > after_claims and d.attempts > 0
      order by d.due_at, d.position limit ${DELIVERIES_BATCH}
    ) as r;
    foreach place in array coalesce(positions, '{}') loop
      update our.webhook_deliveries as d set attempts = 0, due_at = coalesce(d.leased_until, after_claims)
      where ${OF_ENDPOINT} and d.status = 'pending' and d.position = place;
    end loop;
    return json_build_object('more', coalesce(cardinality(positions), 0) = ${DELIVERIES_BATCH});
  end`,
});
