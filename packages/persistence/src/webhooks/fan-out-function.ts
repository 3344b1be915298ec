import { FAN_OUT_BATCH_MAX } from '@orders/domain/webhooks';
import { databaseFunction, PLANNED_ONCE } from '../sql/database-function.ts';
import { LOCK_QUEUE, LOCKED_QUEUE, QUEUE, SET_TIME } from './queue-row-sql.ts';
import { ASYNCHRONOUS_COMMIT, ENDPOINT, firstPending, isWanted } from './queue-sql.ts';
import { AGREE, REQUEUE } from './requeue-sql.ts';

/**
 * Creates deliveries of the next events for one endpoint. Returns whether more are left, and the number of events that
 * have left the feed before. Waits for the queue only briefly, because others of its owner wait for it meanwhile.
 */
export const fanOut = databaseFunction('webhook_fan_out', {
  parameters: ENDPOINT,
  returns: 'json',
  settings: [...PLANNED_ONCE, `lock_timeout = '250ms'`],
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    queue record;
    state record;
    is_same_status boolean;
    size int;
    kinds text[];
    ids uuid[];
    firsts bigint[];
    first bigint;
    last bigint;
  begin
    ${ASYNCHRONOUS_COMMIT}
    ${LOCK_QUEUE}
    if not found then
      -- With a lock of the endpoint, so that others do not create another one.
      perform from our.webhook_endpoints as e where e.owner_id = p_owner_id and e.id = p_endpoint_id for update;
      insert into our.webhook_queues (owner_id, endpoint_id, revision, position, endpoint_version, failing)
      select p_owner_id, e.id, 0, e.start, e.version, 0 from our.webhook_endpoints as e
      where e.owner_id = p_owner_id and e.id = p_endpoint_id
        and not exists (select from our.webhook_queues as q where ${QUEUE});
      ${LOCK_QUEUE}
    end if;
    select q.position, q.endpoint_version, q.requeue_after, e.status, e.version, e.types,
      coalesce(f.purged, 0) as purged
    into state
    from our.webhook_queues as q
    join our.webhook_endpoints as e on e.owner_id = p_owner_id and e.id = p_endpoint_id
    left join our.feeds as f on f.owner_id = p_owner_id
    where ${LOCKED_QUEUE};
    if not found or state.status <> 'enabled' then
      return json_build_object('more', false, 'expired', 0);
    end if;
    ${SET_TIME}
    if state.endpoint_version <> state.version then
      ${AGREE}
    end if;
    if state.requeue_after is not null then
      ${REQUEUE}
    end if;
    select greatest(state.position, state.purged) into first;
    select max(c.position) into last
    from (
      select c.position from our.changes as c
      where c.owner_id = p_owner_id and c.position > first order by c.position limit ${FAN_OUT_BATCH_MAX}
    ) as c;
    insert into our.webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate, aggregate_id, version,
      status, attempts, fresh, redelivery, due_at, fence)
    select p_owner_id, p_endpoint_id, c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
      'pending', 0, true, false,
      case when c.place = 1 and ${firstPending('c.aggregate', 'c.aggregate_id')} is null then at end, 0
    from (
      select c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
        row_number() over (partition by c.aggregate, c.aggregate_id order by c.position) as place
      from our.changes as c
      where c.owner_id = p_owner_id and c.position > first and c.position <= last
        and ${isWanted('state.types', 'c.type')}
    ) as c;
    update our.webhook_queues as q set revision = queue.revision + 1, position = coalesce(last, first)
    where ${LOCKED_QUEUE} and q.position < coalesce(last, first);
    return json_build_object('more', coalesce((
        select true from our.changes as c where c.owner_id = p_owner_id and c.position > coalesce(last, first)
        order by c.position limit 1
      ), false), 'expired', first - state.position);
  end`,
});
