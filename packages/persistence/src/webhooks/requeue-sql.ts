import { LOCKED_QUEUE } from './queue-row-sql.ts';
import { DELIVERIES_BATCH, FIRSTS_OF_ALL, MAKE_FIRSTS_DUE, OF_ENDPOINT } from './queue-sql.ts';

/**
 * Selects the version of the endpoint into the queue. If its status has changed since, it was disabled meanwhile, also when
 * no worker has seen that: what has failed becomes pending again. A change whose record was purged may have been one.
 * Reads and sets `queue` and `state`.
 */
export const AGREE = `select count(*) = state.version - state.endpoint_version
        and not coalesce(bool_or(c.changed::jsonb ? 'status'), false) into is_same_status
      from our.changes as c
      where c.owner_id = p_owner_id and c.aggregate = 'webhook_endpoint' and c.aggregate_id = p_endpoint_id
        and c.version > state.endpoint_version and c.version <= state.version;
      if is_same_status then
        update our.webhook_queues as q set revision = queue.revision + 1, endpoint_version = state.version
        where ${LOCKED_QUEUE};
      else
        update our.webhook_queues as q
        set revision = queue.revision + 1, endpoint_version = state.version, requeue_after = 0, failing = 0,
          fresh_after = null
        where ${LOCKED_QUEUE};
        select 0 into state.requeue_after;
      end if;
      select queue.revision + 1 into queue.revision;`;

/**
 * Makes a batch of failed deliveries pending again. Before them, the delivery that was the first pending one of its
 * aggregate must wait for an earlier one. One in flight keeps its lease, but waits too if its claim is lost.
 */
export const REQUEUE = `select count(*), max(f.position), array_agg(f.aggregate), array_agg(f.aggregate_id)
      into size, last, kinds, ids
      from (
        select d.position, d.aggregate, d.aggregate_id from our.webhook_deliveries as d
        where ${OF_ENDPOINT} and d.status = 'failed' and d.position > state.requeue_after
        order by d.position limit ${DELIVERIES_BATCH}
      ) as f;
      select ${FIRSTS_OF_ALL} into firsts;
      foreach first in array firsts loop
        update our.webhook_deliveries as d set due_at = null
        where ${OF_ENDPOINT} and d.status = 'pending' and d.position = first;
      end loop;
      update our.webhook_deliveries as d
      set status = 'pending', attempts = 0, fresh = true, redelivery = false, first_attempt_at = null
      where ${OF_ENDPOINT} and d.status = 'failed' and d.position > state.requeue_after and d.position <= last;
      ${MAKE_FIRSTS_DUE}
      if size = ${DELIVERIES_BATCH} then
        update our.webhook_queues as q set revision = queue.revision + 1, requeue_after = last where ${LOCKED_QUEUE};
        return json_build_object('more', true, 'expired', 0);
      end if;
      update our.webhook_queues as q set revision = queue.revision + 1, requeue_after = null where ${LOCKED_QUEUE};
      select queue.revision + 1 into queue.revision;`;
