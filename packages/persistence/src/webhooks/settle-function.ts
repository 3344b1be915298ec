import { FRESH_GAPS_MS } from '@orders/domain/webhooks';
import { databaseFunction } from '../shared/database-function.ts';
import { LOCK_QUEUE, LOCKED_QUEUE, SET_TIME } from './queue-row-sql.ts';
import { ASYNCHRONOUS_COMMIT, BY_INDEX_IN_ORDER, ENDPOINT, firstPending, ms, OF_ENDPOINT, OWNER } from './queue-sql.ts';

/**
 * Records an attempt. Returns `lost` when the claim is no longer one, and `dead` when the delivery failed finally and
 * none has succeeded since its first attempt.
 */
export const settle = databaseFunction(
  'webhook_settle',
  [
    OWNER,
    ENDPOINT,
    { name: 'position', type: 'bigint' },
    { name: 'fence', type: 'int' },
    { name: 'attempt', type: 'int' },
    { name: 'counts', type: 'boolean' },
    { name: 'status', type: 'text' },
    { name: 'retry_in_ms', type: 'bigint' },
    { name: 'last_status', type: 'int' },
    { name: 'last_error', type: 'text' },
    { name: 'last_duration_ms', type: 'int' },
  ],
  {
    returns: 'text',
    settings: BY_INDEX_IN_ORDER,
    body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    queue record;
    delivery record;
    next_status text;
    next_due timestamptz(3);
    next_fresh timestamptz(3);
    first_attempt timestamptz(3);
    first bigint;
    free_at timestamptz(3);
    is_trial boolean;
    is_rejected boolean;
    next_queue record;
  begin
    ${ASYNCHRONOUS_COMMIT}
    ${LOCK_QUEUE}
    if not found then
      return 'lost';
    end if;
    select d.* into delivery from webhook_deliveries as d
    where ${OF_ENDPOINT} and d.status = 'pending' and d.position = p_position for update;
    if not found or delivery.leased_until is null or delivery.fence <> p_fence then
      return 'lost';
    end if;
    ${SET_TIME}
    -- A delivery that was requested again during its last attempt has further ones.
    select case when delivery.attempts < p_attempt - 1 and p_status = 'failed' then 'pending' else p_status end
    into next_status;
    -- Outside the updates, in which Citus allows no times that are calculated from columns or by case.
    select case when next_status <> 'pending' then null
        when delivery.attempts < p_attempt - 1 then after_claims
        else after_claims + ${ms('p_retry_in_ms')} end,
      at + ${ms(`(array[${FRESH_GAPS_MS.join(', ')}])[least(queue.failing + 1, ${FRESH_GAPS_MS.length})]`)},
      case when p_counts or not delivery.fresh then delivery.first_attempt_at end
    into next_due, next_fresh, first_attempt;
    update webhook_deliveries as d
    set status = next_status, leased_until = null, fresh = delivery.fresh and not p_counts,
      attempts = case when delivery.attempts < p_attempt - 1 or not p_counts then delivery.attempts else p_attempt end,
      first_attempt_at = first_attempt, due_at = next_due,
      last_status = p_last_status, last_error = p_last_error, last_duration_ms = p_last_duration_ms
    where ${OF_ENDPOINT} and d.status = 'pending' and d.position = p_position;
    if not delivery.redelivery then
      -- From its own place on, unless an earlier one was requeued meanwhile. Those before it that the index may still have
      -- were settled.
      select ${firstPending(
        'delivery.aggregate',
        'delivery.aggregate_id',
        'case when delivery.due_at is null then 0 else p_position - 1 end',
      )} into first;
      if first < p_position and next_status = 'pending' then
        -- An earlier one was requeued meanwhile.
        update webhook_deliveries as d set due_at = null
        where ${OF_ENDPOINT} and d.status = 'pending' and d.position = p_position;
      elsif first <> p_position then
        select case when first > queue.fresh_claimed_position then at else after_claims end into free_at;
        update webhook_deliveries as d set due_at = greatest(free_at, d.leased_until)
        where ${OF_ENDPOINT} and d.status = 'pending' and d.position = first and d.due_at is null;
      end if;
    end if;
    -- Of attempts that began before the endpoint failed, none counts: they failed with the first one.
    select queue.failing > 0 and queue.fresh_after = delivery.leased_until,
      delivery.fresh and p_counts and p_status <> 'delivered'
    into is_trial, is_rejected;
    select case when p_status = 'delivered' then 0 else queue.failing + (is_rejected and (queue.failing = 0 or is_trial))::int end
        as failing,
      case when p_status = 'delivered' then null
        when is_rejected and (queue.failing = 0 or is_trial) then next_fresh
        -- It ended before its lease, and the next one may start.
        when is_trial and delivery.fresh and not p_counts then at
        else queue.fresh_after end as fresh_after,
      case when p_status = 'delivered' then at else queue.last_success_at end as last_success_at
    into next_queue;
    update webhook_queues as q
    set revision = queue.revision + 1, in_flight = array_remove(queue.in_flight, p_position), full_until = null,
      failing = next_queue.failing, fresh_after = next_queue.fresh_after, last_success_at = next_queue.last_success_at
    where ${LOCKED_QUEUE};
    return case when next_status = 'failed' and (queue.last_success_at < delivery.first_attempt_at) is not false
      then 'dead' else 'recorded' end;
  end`,
  },
);
