import { FRESH_GAPS_MS } from '@orders/domain/webhooks';
import { databaseFunction } from '../shared/database-function.ts';
import {
  ASYNCHRONOUS_COMMIT,
  BY_INDEX,
  ENDPOINT,
  firstPending,
  ms,
  NOW,
  OF_ENDPOINT,
  OWNER,
  QUEUE,
  WHEN_FREE,
} from './queue-sql.ts';

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
    settings: BY_INDEX,
    body: `declare
    at timestamptz(3);
    queue record;
    delivery record;
    next_status text;
    next_due timestamptz(3);
    next_fresh timestamptz(3);
    first_attempt timestamptz(3);
    first bigint;
  begin
    ${ASYNCHRONOUS_COMMIT}
    select q.last_success_at, q.failing into queue from webhook_queues as q where ${QUEUE} for update;
    if not found then
      return 'lost';
    end if;
    select d.* into delivery from webhook_deliveries as d where ${OF_ENDPOINT} and d.position = p_position for update;
    if not found or delivery.leased_until is null or delivery.fence <> p_fence then
      return 'lost';
    end if;
    -- A delivery that was requested again during its last attempt has further ones.
    select ${NOW}, case when delivery.attempts < p_attempt - 1 and p_status = 'failed' then 'pending' else p_status end
    into at, next_status;
    -- Outside the updates, in which Citus allows no times that are calculated from columns or by case.
    select case when next_status <> 'pending' then null
        when delivery.attempts < p_attempt - 1 then at
        else at + ${ms('p_retry_in_ms')} end,
      at + ${ms(`(array[${FRESH_GAPS_MS.join(', ')}])[least(queue.failing + 1, ${FRESH_GAPS_MS.length})]`)},
      case when p_counts or not delivery.fresh then delivery.first_attempt_at end
    into next_due, next_fresh, first_attempt;
    update webhook_deliveries as d
    set status = next_status, leased_until = null, fresh = delivery.fresh and not p_counts,
      attempts = case when delivery.attempts < p_attempt - 1 or not p_counts then delivery.attempts else p_attempt end,
      first_attempt_at = first_attempt, due_at = next_due,
      last_status = p_last_status, last_error = p_last_error, last_duration_ms = p_last_duration_ms
    where ${OF_ENDPOINT} and d.position = p_position;
    if not delivery.redelivery then
      select ${firstPending('delivery.aggregate', 'delivery.aggregate_id')} into first;
      if first < p_position and next_status = 'pending' then
        -- An earlier one was requeued meanwhile.
        update webhook_deliveries as d set due_at = null where ${OF_ENDPOINT} and d.position = p_position;
      elsif first <> p_position then
        update webhook_deliveries as d set due_at = ${WHEN_FREE}
        where ${OF_ENDPOINT} and d.position = first and d.due_at is null;
      end if;
    end if;
    if p_status = 'delivered' then
      update webhook_queues as q set failing = 0, fresh_after = null, last_success_at = at where ${QUEUE};
    elsif delivery.fresh and not p_counts then
      -- The attempt of a failing endpoint: it ended before its lease, and the next one may start.
      update webhook_queues as q set fresh_after = at where ${QUEUE} and q.fresh_after = delivery.leased_until;
    elsif delivery.fresh then
      update webhook_queues as q set failing = queue.failing + 1, fresh_after = next_fresh where ${QUEUE};
    end if;
    return case when next_status = 'failed' and (queue.last_success_at < delivery.first_attempt_at) is not false
      then 'dead' else 'recorded' end;
  end`,
  },
);
