import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '@orders/domain/webhooks';
import { databaseFunction } from '../shared/database-function.ts';
import { ASYNCHRONOUS_COMMIT, BY_INDEX, ms, NOW, OWNER } from './queue-sql.ts';

const IS_READY = `q.requeue_after is null and exists (
        select from webhook_endpoints as e
        where e.owner_id = p_owner_id and e.id = q.endpoint_id and e.status = 'enabled' and e.version = q.endpoint_version)`;

/** Selects deliveries of the queue `q` that are due, those that have been due for longest first. */
const dueOf = (condition: string, limit: string) => `(
            select d.position, d.due_at, d.fresh, d.attempts, d.fence from webhook_deliveries as d
            where d.owner_id = p_owner_id and d.endpoint_id = q.endpoint_id and ${condition} and d.due_at <= at
            order by d.due_at, d.position limit ${limit})`;

/**
 * Claims deliveries of an owner. Endpoints whose queue is locked by another worker are left out; `busy` says whether
 * there are any, and `changed` whether a fan-out must come first, because an endpoint has changed.
 */
export const claim = databaseFunction('webhook_claim', [OWNER, { name: 'limit', type: 'int' }], {
  returns: 'json',
  settings: BY_INDEX,
  body: `declare
    at timestamptz(3);
    locked uuid[];
    claimed jsonb;
    target record;
    place bigint;
    is_busy boolean;
    is_changed boolean;
  begin
    ${ASYNCHRONOUS_COMMIT}
    select array_agg(l.endpoint_id) into locked
    from (
      select q.endpoint_id from webhook_queues as q
      where q.owner_id = p_owner_id and ${IS_READY} for update of q skip locked
    ) as l;
    select ${NOW}, jsonb_build_array() into at, claimed;
    for target in
      select s.endpoint_id, array_agg(s.position) as positions, bool_or(s.fresh and s.failing > 0) as is_trial,
        jsonb_agg(jsonb_build_object('endpoint_id', s.endpoint_id, 'position', s.position, 'attempt', s.attempts + 1,
          'fence', s.fence + 1, 'place', s.place)) as deliveries
      from (
        select q.endpoint_id, q.failing, c.position, c.fresh, c.attempts, c.fence,
          row_number() over (order by c.due_at, c.position, q.endpoint_id) as place
        from webhook_queues as q
        cross join lateral (
          select c.* from (${dueOf('not d.fresh', `${ENDPOINT_IN_FLIGHT_MAX}`)} union all ${dueOf(
            'd.fresh',
            `case when q.failing = 0 then ${ENDPOINT_IN_FLIGHT_MAX} when q.fresh_after <= at then 1 else 0 end`,
          )}) as c
          order by c.due_at, c.position limit greatest(0, ${ENDPOINT_IN_FLIGHT_MAX} - (
            select count(*) from webhook_deliveries as d
            where d.owner_id = p_owner_id and d.endpoint_id = q.endpoint_id and d.leased_until > at))
        ) as c
        where q.owner_id = p_owner_id and q.endpoint_id = any(locked)
      ) as s
      where s.place <= p_limit
      group by s.endpoint_id
    loop
      -- One by one, and with the status that all of them have, so that every index with a position finds them by it. With
      -- a list, PostgreSQL 15 reads all deliveries of the endpoint while it knows only a few.
      foreach place in array target.positions loop
        update webhook_deliveries as d
        set leased_until = at + ${ms(LEASE_MS)}, due_at = at + ${ms(LEASE_MS)}, fence = d.fence + 1,
          first_attempt_at = coalesce(d.first_attempt_at, at)
        where d.owner_id = p_owner_id and d.endpoint_id = target.endpoint_id and d.status = 'pending'
          and d.position = place;
      end loop;
      if target.is_trial then
        update webhook_queues as q set fresh_after = at + ${ms(LEASE_MS)}
        where q.owner_id = p_owner_id and q.endpoint_id = target.endpoint_id;
      end if;
      select claimed || target.deliveries into claimed;
    end loop;
    select coalesce(bool_or(e.version = q.endpoint_version and q.requeue_after is null
        and (q.endpoint_id = any(locked)) is not true), false),
      coalesce(bool_or(e.version <> q.endpoint_version or q.requeue_after is not null), false)
    into is_busy, is_changed
    from webhook_queues as q
    join webhook_endpoints as e on e.owner_id = p_owner_id and e.id = q.endpoint_id
    where q.owner_id = p_owner_id and e.status = 'enabled';
    return json_build_object('claimed', claimed, 'busy', is_busy, 'changed', is_changed);
  end`,
});
