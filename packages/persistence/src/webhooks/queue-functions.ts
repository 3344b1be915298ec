import { ENDPOINT_IN_FLIGHT_MAX, FAN_OUT_BATCH_MAX, FRESH_GAPS_MS, LEASE_MS } from '@orders/domain/webhooks';
import { type DatabaseFunction, databaseFunction } from '../shared/database-function.ts';

/** Deliveries that one transaction requeues or purges: few enough that it takes milliseconds. */
export const DELIVERIES_BATCH = 1000;

/**
 * Every table is read by the index that is made for it. A statement may have been planned while there were few rows: its
 * plan would read all of them once there are many.
 */
const BY_INDEX = ['enable_seqscan = off', 'enable_bitmapscan = off'];

const OWNER = { name: 'owner_id', type: 'text' };
const ENDPOINT = { name: 'endpoint_id', type: 'uuid' };

/** The time, in the precision in which times are stored. A rounded one could be later than the time of the next statement. */
const NOW = `date_trunc('milliseconds', clock_timestamp())`;

/**
 * Lets the commit not wait for the disk, for which others would wait with the lock of the queue. After a crash of
 * PostgreSQL, the last moments are missing as a whole, and their deliveries are attempted again.
 */
const ASYNCHRONOUS_COMMIT = `perform set_config('synchronous_commit', 'off', true);`;

/** Milliseconds as an interval. */
const ms = (value: number | string) => `${value} * interval '1 millisecond'`;

/** The deliveries of the endpoint, as the part of a condition. */
const OF_ENDPOINT = 'd.owner_id = p_owner_id and d.endpoint_id = p_endpoint_id';

const QUEUE = 'q.owner_id = p_owner_id and q.endpoint_id = p_endpoint_id';

/** Whether a delivery is one of those that an aggregate gets in their order. */
const IN_ORDER = `d.status = 'pending' and not d.redelivery`;

/**
 * Returns the expression of the first pending position of an aggregate, null without any. The comparison of rows lets no
 * other index than that of the order return the first row.
 */
const firstPending = (aggregate: string, id: string) => `(
      select f.position from (
        select d.position, d.aggregate, d.aggregate_id from webhook_deliveries as d
        where ${OF_ENDPOINT} and ${IN_ORDER}
          and (d.aggregate, d.aggregate_id, d.position) > (${aggregate}, ${id}, 0::bigint)
        order by d.aggregate, d.aggregate_id, d.position limit 1
      ) as f where f.aggregate = ${aggregate} and f.aggregate_id = ${id})`;

/** The first pending positions of the aggregates of `kinds` and `ids`, as an array. */
const firstsOfAll = `array(select distinct ${firstPending('a.aggregate', 'a.aggregate_id')}
      from unnest(kinds, ids) as a (aggregate, aggregate_id))`;

/** Makes the first pending deliveries of the aggregates of `kinds` and `ids` due, unless they are. */
const makeFirstsDue = `select ${firstsOfAll} into firsts;
    update webhook_deliveries as d set due_at = at
    where ${OF_ENDPOINT} and d.position = any(firsts) and d.due_at is null;`;

/**
 * Selects the version of the endpoint into the queue. If its status has changed since, it was disabled meanwhile, also when
 * no worker has seen that: what has failed becomes pending again. A change whose record was purged may have been one.
 */
const AGREE = `select count(*) = state.version - state.endpoint_version
        and not coalesce(bool_or(c.changed::jsonb ? 'status'), false) into is_same_status
      from changes as c
      where c.owner_id = p_owner_id and c.aggregate = 'webhook_endpoint' and c.aggregate_id = p_endpoint_id
        and c.version > state.endpoint_version and c.version <= state.version;
      if is_same_status then
        update webhook_queues as q set endpoint_version = state.version where ${QUEUE};
      else
        update webhook_queues as q
        set endpoint_version = state.version, requeue_after = 0, failing = 0, fresh_after = null where ${QUEUE};
        select 0 into state.requeue_after;
      end if;`;

/**
 * Makes a batch of failed deliveries pending again. Before them, the delivery that was the first pending one of its
 * aggregate must wait for an earlier one; one in flight keeps its lease.
 */
const REQUEUE = `select array_agg(f.position), max(f.position) into failed, last
      from (
        select d.position from webhook_deliveries as d
        where ${OF_ENDPOINT} and d.status = 'failed' and d.position > state.requeue_after
        order by d.position limit ${DELIVERIES_BATCH}
      ) as f;
      select array_agg(a.aggregate), array_agg(a.aggregate_id) into kinds, ids
      from (
        select distinct d.aggregate, d.aggregate_id from webhook_deliveries as d
        where ${OF_ENDPOINT} and d.position = any(failed)
      ) as a;
      select ${firstsOfAll} into firsts;
      update webhook_deliveries as d set due_at = null
      where ${OF_ENDPOINT} and d.position = any(firsts) and d.leased_until is null;
      update webhook_deliveries as d
      set status = 'pending', attempts = 0, fresh = true, redelivery = false, first_attempt_at = null
      where ${OF_ENDPOINT} and d.position = any(failed);
      ${makeFirstsDue}
      if cardinality(failed) = ${DELIVERIES_BATCH} then
        update webhook_queues as q set requeue_after = last where ${QUEUE};
        return json_build_object('more', true, 'expired', 0);
      end if;
      update webhook_queues as q set requeue_after = null where ${QUEUE};`;

/**
 * Creates deliveries of the next events for one endpoint. Returns whether more are left, and the number of events that
 * have left the feed before. Waits for the queue only briefly, because others of its owner wait for it meanwhile.
 */
const fanOut = databaseFunction('webhook_fan_out', [OWNER, ENDPOINT], {
  returns: 'json',
  settings: [...BY_INDEX, `lock_timeout = '250ms'`],
  body: `declare
    at timestamptz(3);
    state record;
    is_same_status boolean;
    failed bigint[];
    kinds text[];
    ids uuid[];
    firsts bigint[];
    first bigint;
    last bigint;
  begin
    ${ASYNCHRONOUS_COMMIT}
    perform from webhook_queues as q where ${QUEUE} for update;
    if not found then
      insert into webhook_queues (owner_id, endpoint_id, position, endpoint_version, failing)
      select p_owner_id, e.id, e.start, e.version, 0 from webhook_endpoints as e
      where e.owner_id = p_owner_id and e.id = p_endpoint_id
      on conflict (owner_id, endpoint_id) do nothing;
      perform from webhook_queues as q where ${QUEUE} for update;
    end if;
    select q.position, q.endpoint_version, q.requeue_after, e.status, e.version, e.types,
      coalesce(f.position, 0) as fed, coalesce(f.purged, 0) as purged
    into state
    from webhook_queues as q
    join webhook_endpoints as e on e.owner_id = p_owner_id and e.id = p_endpoint_id
    left join feeds as f on f.owner_id = p_owner_id
    where ${QUEUE};
    if not found or state.status <> 'enabled' then
      return json_build_object('more', false, 'expired', 0);
    end if;
    select ${NOW} into at;
    if state.endpoint_version <> state.version then
      ${AGREE}
    end if;
    if state.requeue_after is not null then
      ${REQUEUE}
    end if;
    select greatest(state.position, state.purged) into first;
    select max(c.position) into last
    from (
      select c.position from changes as c
      where c.owner_id = p_owner_id and c.position > first order by c.position limit ${FAN_OUT_BATCH_MAX}
    ) as c;
    insert into webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate, aggregate_id, version,
      status, attempts, fresh, redelivery, due_at, fence)
    select p_owner_id, p_endpoint_id, c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
      'pending', 0, true, false,
      case when c.place = 1 and ${firstPending('c.aggregate', 'c.aggregate_id')} is null then at end, 0
    from (
      select c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
        row_number() over (partition by c.aggregate, c.aggregate_id order by c.position) as place
      from changes as c
      where c.owner_id = p_owner_id and c.position > first and c.position <= last
        and (state.types is null or state.types::jsonb ? c.type)
    ) as c;
    update webhook_queues as q set position = coalesce(last, first)
    where ${QUEUE} and q.position < coalesce(last, first);
    return json_build_object('more', coalesce(last, first) < state.fed, 'expired', first - state.position);
  end`,
});

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
const claim = databaseFunction('webhook_claim', [OWNER, { name: 'limit', type: 'int' }], {
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

/**
 * Records an attempt. Returns `lost` when the claim is no longer one, and `dead` when the delivery failed finally and
 * none has succeeded since its first attempt.
 */
const settle = databaseFunction(
  'webhook_settle',
  [
    OWNER,
    ENDPOINT,
    { name: 'position', type: 'bigint' },
    { name: 'fence', type: 'int' },
    { name: 'attempt', type: 'int' },
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
    delivery record;
    last_success timestamptz(3);
    next_status text;
    first bigint;
  begin
    ${ASYNCHRONOUS_COMMIT}
    select q.last_success_at into last_success from webhook_queues as q where ${QUEUE} for update;
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
    update webhook_deliveries as d
    set status = next_status, leased_until = null, fresh = false,
      attempts = case when delivery.attempts < p_attempt - 1 then delivery.attempts else p_attempt end,
      due_at = case when next_status <> 'pending' then null
        when delivery.attempts < p_attempt - 1 then at
        else at + ${ms('p_retry_in_ms')} end,
      last_status = p_last_status, last_error = p_last_error, last_duration_ms = p_last_duration_ms
    where ${OF_ENDPOINT} and d.position = p_position;
    if not delivery.redelivery then
      select ${firstPending('delivery.aggregate', 'delivery.aggregate_id')} into first;
      if first < p_position and next_status = 'pending' then
        -- An earlier one was requeued meanwhile.
        update webhook_deliveries as d set due_at = null where ${OF_ENDPOINT} and d.position = p_position;
      elsif first <> p_position then
        update webhook_deliveries as d set due_at = at where ${OF_ENDPOINT} and d.position = first and d.due_at is null;
      end if;
    end if;
    if p_status = 'delivered' then
      update webhook_queues as q set failing = 0, fresh_after = null, last_success_at = at where ${QUEUE};
    elsif delivery.fresh then
      update webhook_queues as q set failing = q.failing + 1,
        fresh_after = at + ${ms(
          `(array[${FRESH_GAPS_MS.join(', ')}])[least(q.failing + 1, ${FRESH_GAPS_MS.length})]`,
        )} where ${QUEUE};
    end if;
    return case when next_status = 'failed' and (last_success < delivery.first_attempt_at) is not false
      then 'dead' else 'recorded' end;
  end`,
  },
);

/**
 * Deletes a batch of the deliveries whose events have left the feed; of a deleted endpoint all, and then its queue. Returns
 * the number of deliveries. A queue that another transaction has locked keeps them.
 */
const purge = databaseFunction('webhook_purge', [OWNER, ENDPOINT], {
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
      ${makeFirstsDue}
    end if;
    return cardinality(leaving);
  end`,
});

/** The functions of webhooks. Each locks the queue of an endpoint first, and then its deliveries. */
export const WEBHOOK_FUNCTIONS: Readonly<Record<'fanOut' | 'claim' | 'settle' | 'purge', DatabaseFunction>> = {
  fanOut,
  claim,
  settle,
  purge,
};
