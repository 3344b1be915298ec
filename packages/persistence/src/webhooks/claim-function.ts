import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '@orders/domain/webhooks';
import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { lockQueueUnlessLocked, SET_TIME } from './queue-row-sql.ts';
import { ASYNCHRONOUS_COMMIT, ms } from './queue-sql.ts';

/**
 * Time by which the beginning of further attempts lags behind the last claim. A delivery that is requested again gets its
 * time in a statement before, which may be so much earlier.
 */
const REQUEST_MS = 60_000;

/** Selects deliveries of the queue that are due, those that have been due for longest first. */
const dueOf = (condition: string, limit: string) => `(
          select d.position, d.due_at, d.fresh, d.attempts, d.fence from our.webhook_deliveries as d
          where d.owner_id = p_owner_id and d.endpoint_id = queue.endpoint_id and ${condition}
            and d.due_at <= after_claims
          order by d.due_at, d.position limit ${limit})`;

/**
 * Claims deliveries of an owner. Endpoints whose queue is locked by another worker are left out; `busy` says whether
 * there are any, and `changed` whether a fan-out must come first, because an endpoint has changed.
 *
 * First it locks the queues of all endpoints and looks up what can be claimed of each. Then it claims those that have
 * been due for longest.
 */
export const claim = databaseFunction('webhook_claim', {
  parameters: { owner_id: 'text', limit: 'int' },
  returns: 'json',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    at timestamptz(3);
    after_claims timestamptz(3);
    endpoint record;
    newest bigint;
    queue record;
    leased bigint[];
    first_end timestamptz(3);
    free bigint;
    states jsonb;
    candidates jsonb;
    claimed jsonb;
    target record;
    lease_end timestamptz(3);
    place bigint;
    is_busy boolean;
    is_changed boolean;
  begin
    ${ASYNCHRONOUS_COMMIT}
    select jsonb_build_array(), jsonb_build_array(), jsonb_build_object(), false, false
    into claimed, candidates, states, is_busy, is_changed;
    for endpoint in
      select e.id, e.version from our.webhook_endpoints as e where e.owner_id = p_owner_id and e.status = 'enabled'
    loop
      ${lockQueueUnlessLocked('endpoint.id')}
      if newest is null then
        continue;
      elsif not found then
        select true into is_busy;
        continue;
      elsif queue.endpoint_version <> endpoint.version or queue.requeue_after is not null then
        select true into is_changed;
        continue;
      end if;
      ${SET_TIME}
      select coalesce(array_agg(l.position), '{}'), min(l.leased_until) into leased, first_end
      from (
        select f.position, (
          select d.leased_until from our.webhook_deliveries as d
          where d.owner_id = p_owner_id and d.endpoint_id = queue.endpoint_id and d.status = 'pending' and d.position = f.position
        ) as leased_until
        from unnest(queue.in_flight) as f (position)
      ) as l
      where l.leased_until > after_claims;
      select greatest(0, ${ENDPOINT_IN_FLIGHT_MAX} - cardinality(leased)) into free;
      select states || jsonb_build_object(queue.endpoint_id, jsonb_build_object('at', after_claims, 'revision', queue.revision,
          'leased', leased, 'first_end', first_end)),
        candidates || coalesce(jsonb_agg(jsonb_build_object('endpoint_id', queue.endpoint_id, 'position', c.position,
          'due_at', c.due_at, 'fresh', c.fresh, 'attempts', c.attempts, 'fence', c.fence,
          'gaps', case when c.fresh then queue.failing end)), jsonb_build_array())
      into states, candidates
      from (
        select c.* from (${dueOf(
          `not d.fresh and d.due_at > coalesce(queue.retries_claimed_to, '-infinity')`,
          'free',
        )} union all ${dueOf(
          `d.fresh and (d.due_at, d.position) > (coalesce(queue.fresh_claimed_to, '-infinity'),
            coalesce(queue.fresh_claimed_position, 0))`,
          'case when queue.failing = 0 then free when queue.fresh_after <= after_claims then least(free, 1) else 0 end',
        )}) as c
        order by c.due_at, c.position limit free
      ) as c;
    end loop;
    for target in
      select s.endpoint_id, (states -> s.endpoint_id::text ->> 'at')::timestamptz as at,
        (states -> s.endpoint_id::text ->> 'revision')::bigint as revision,
        (states -> s.endpoint_id::text ->> 'first_end')::timestamptz as first_end,
        array(select l::bigint from jsonb_array_elements_text(states -> s.endpoint_id::text -> 'leased') as l)
          || array_agg(s.position) as in_flight,
        array_agg(s.position order by s.place) as positions, bool_or(s.fresh) as is_fresh,
        (array_agg(s.due_at order by s.place desc) filter (where s.fresh))[1] as fresh_to,
        (array_agg(s.position order by s.place desc) filter (where s.fresh))[1] as fresh_position,
        max(s.due_at) filter (where not s.fresh) as retries_to,
        jsonb_agg(jsonb_build_object('endpoint_id', s.endpoint_id, 'position', s.position, 'attempt', s.attempts + 1,
          'fence', s.fence + 1, 'gaps', s.gaps, 'place', s.place)) as deliveries
      from (
        select c.*, row_number() over (order by c.due_at, c.position, c.endpoint_id) as place
        from (
          select (c.one ->> 'endpoint_id')::uuid as endpoint_id, (c.one ->> 'position')::bigint as position,
            (c.one ->> 'due_at')::timestamptz as due_at, (c.one ->> 'fresh')::boolean as fresh,
            (c.one ->> 'attempts')::int as attempts, (c.one ->> 'fence')::int as fence,
            (c.one ->> 'gaps')::int as gaps
          from jsonb_array_elements(candidates) as c (one)
        ) as c
      ) as s
      where s.place <= p_limit
      group by s.endpoint_id
    loop
      select target.at + ${ms(LEASE_MS)} into lease_end;
      -- One by one, and with the status that all of them have, so that every index with a position finds them by it. With
      -- a list, PostgreSQL 15 reads all deliveries of the endpoint while it knows only a few.
      foreach place in array target.positions loop
        update our.webhook_deliveries as d
        set leased_until = lease_end, due_at = lease_end, fence = d.fence + 1,
          first_attempt_at = coalesce(d.first_attempt_at, target.at)
        where d.owner_id = p_owner_id and d.endpoint_id = target.endpoint_id and d.status = 'pending'
          and d.position = place;
      end loop;
      -- Outside the update, in which Citus allows no times that are calculated from columns or by case.
      select q.revision + 1 as revision,
        case when cardinality(target.in_flight) >= ${ENDPOINT_IN_FLIGHT_MAX} then coalesce(target.first_end, lease_end) end
          as full_until,
        case when target.is_fresh then lease_end else q.fresh_after end as fresh_after,
        coalesce(target.fresh_to, q.fresh_claimed_to) as fresh_to,
        coalesce(target.fresh_position, q.fresh_claimed_position) as fresh_position,
        case when target.retries_to is null then q.retries_claimed_to else greatest(q.retries_claimed_to,
          least(target.retries_to - ${ms(1)}, target.at - ${ms(REQUEST_MS)})) end as retries_to
      into queue
      from our.webhook_queues as q
      where q.owner_id = p_owner_id and q.endpoint_id = target.endpoint_id and q.revision = target.revision;
      update our.webhook_queues as q
      set revision = queue.revision, in_flight = target.in_flight, full_until = queue.full_until,
        fresh_after = queue.fresh_after, fresh_claimed_to = queue.fresh_to,
        fresh_claimed_position = queue.fresh_position, retries_claimed_to = queue.retries_to
      where q.owner_id = p_owner_id and q.endpoint_id = target.endpoint_id and q.revision = target.revision;
      select claimed || target.deliveries into claimed;
    end loop;
    return json_build_object('claimed', claimed, 'busy', is_busy, 'changed', is_changed);
  end`,
});
