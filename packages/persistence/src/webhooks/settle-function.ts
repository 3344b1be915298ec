import { ENDPOINT_IN_FLIGHT_MAX, RELEASED } from '@orders/domain/webhooks';
import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { LOCK_QUEUE, LOCKED_QUEUE, SET_TIME } from './queue-row-sql.ts';
import { ASYNCHRONOUS_COMMIT, ENDPOINT, firstPending, ms, OF_ENDPOINT } from './queue-sql.ts';

/**
 * Records attempts of an endpoint. Returns an outcome for each, and `more`: whether the endpoint may have further deliveries
 * to claim now.
 *
 * - `lost`: the claim is no longer one; nothing is recorded.
 * - `recorded`
 * - `recorded_dead`: the delivery failed finally, and none has succeeded since its first attempt.
 * - `dead`: the same, but `unless_dead` was set; nothing is recorded.
 */
export const settle = databaseFunction('webhook_settle', {
  parameters: { ...ENDPOINT, results: 'json' },
  returns: 'json',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    queue record;
    result record;
    delivery record;
    next_due timestamptz(3);
    first_attempt timestamptz(3);
    delivered timestamptz(3);
    first bigint;
    free_at timestamptz(3);
    is_dead boolean;
    is_more boolean;
    outcomes text[];
  begin
    ${ASYNCHRONOUS_COMMIT}
    ${LOCK_QUEUE}
    if not found then
      return json_build_object('outcomes', array_fill('lost'::text, array[json_array_length(p_results)]), 'more', false);
    end if;
    ${SET_TIME}
    select array[]::text[], cardinality(queue.in_flight) >= ${ENDPOINT_IN_FLIGHT_MAX} or queue.failing > 0
    into outcomes, is_more;
    for result in
      select r.* from json_to_recordset(p_results) as r (position bigint, fence int, attempt int, counts boolean, status text,
        retry_in_ms bigint, gaps int, gap_ms bigint, unless_dead boolean, last_status int, last_error text,
        last_duration_ms int)
    loop
      select d.* into delivery from our.webhook_deliveries as d
      where ${OF_ENDPOINT} and d.status = 'pending' and d.position = result.position for update;
      if not found or delivery.leased_until is null or delivery.fence <> result.fence then
        select outcomes || 'lost'::text into outcomes;
        continue;
      end if;
      -- One that was requested again meanwhile has all attempts left.
      if delivery.attempts < result.attempt - 1 and result.status <> 'delivered' then
        select '${RELEASED.status}', ${RELEASED.retryInMs}, ${RELEASED.counts}
        into result.status, result.retry_in_ms, result.counts;
      end if;
      select result.status = 'failed' and (queue.last_success_at < delivery.first_attempt_at) is not false into is_dead;
      if is_dead and result.unless_dead then
        select outcomes || 'dead'::text into outcomes;
        continue;
      end if;
      -- Outside the updates, in which Citus allows no times that are calculated from columns or by case.
      select case when result.status = 'pending' then after_claims + ${ms('result.retry_in_ms')} end,
        case when result.counts or not delivery.fresh then delivery.first_attempt_at end,
        case when result.status = 'delivered' then at else delivery.delivered_at end
      into next_due, first_attempt, delivered;
      update our.webhook_deliveries as d
      set status = result.status, leased_until = null, fresh = delivery.fresh and not result.counts,
        attempts = delivery.attempts + result.counts::int, first_attempt_at = first_attempt, due_at = next_due,
        last_status = result.last_status, last_error = result.last_error, last_duration_ms = result.last_duration_ms,
        delivered_at = delivered
      where ${OF_ENDPOINT} and d.status = 'pending' and d.position = result.position;
      select is_more or coalesce(next_due <= after_claims, false) into is_more;
      if not delivery.redelivery then
        -- From its own place on, unless an earlier one was requeued meanwhile. Those before it that the index may still have
        -- were settled.
        select ${firstPending(
          'delivery.aggregate',
          'delivery.aggregate_id',
          'case when delivery.due_at is null then 0 else result.position - 1 end',
        )} into first;
        if first < result.position and result.status = 'pending' then
          -- An earlier one was requeued meanwhile.
          update our.webhook_deliveries as d set due_at = null
          where ${OF_ENDPOINT} and d.status = 'pending' and d.position = result.position;
        elsif first <> result.position then
          select case when first > queue.fresh_claimed_position then at else after_claims end, true into free_at, is_more;
          update our.webhook_deliveries as d set due_at = greatest(free_at, d.leased_until)
          where ${OF_ENDPOINT} and d.status = 'pending' and d.position = first and d.due_at is null;
        end if;
      end if;
      select outcomes || case when is_dead then 'recorded_dead' else 'recorded' end into outcomes;
      select array_remove(queue.in_flight, result.position) into queue.in_flight;
      if result.status = 'delivered' then
        select 0, null, at into queue.failing, queue.fresh_after, queue.last_success_at;
      elsif result.gaps = queue.failing then
        select queue.failing + result.counts::int, at + ${ms('result.gap_ms')} into queue.failing, queue.fresh_after;
      end if;
    end loop;
    update our.webhook_queues as q
    set revision = queue.revision + 1, in_flight = queue.in_flight, full_until = null,
      failing = queue.failing, fresh_after = queue.fresh_after, last_success_at = queue.last_success_at
    where ${LOCKED_QUEUE} and outcomes && array['recorded', 'recorded_dead'];
    return json_build_object('outcomes', outcomes, 'more', is_more and outcomes && array['recorded', 'recorded_dead']);
  end`,
});
