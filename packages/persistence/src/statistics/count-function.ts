import { databaseFunction, PLANNED_ONCE } from '../sql/database-function.ts';
import { figuresIn, LOCK_CHECKPOINT, placedIn, STATISTICS_CONSUMER, sumsOf } from './figures-sql.ts';

/** Maximum number of events that are counted together. */
const COUNTED_MAX = 1000;

/** The result of a call. */
export interface Counted {
  /** The number of events that were counted. */
  readonly events: number;
  /** Whether the feed has more events. */
  readonly is_more: boolean;
  /** Whether the orders must be counted again, because versions that the next events have replaced are gone. */
  readonly is_lost: boolean;
}

/**
 * Counts the next events of an owner, unless another process does. A new order is counted by its event. Of the others, the
 * versions between the first and the last event of an order need not be read: what they count is what they no longer
 * count.
 */
export const countEvents = databaseFunction('statistics_count', [{ name: 'owner_id', type: 'text' }], {
  returns: 'json',
  settings: PLANNED_ONCE,
  body: `declare
    counted_to bigint;
    reached record;
    is_known boolean;
    sums json;
  begin
    ${LOCK_CHECKPOINT}
    if not found then return json_build_object('events', 0, 'is_more', false, 'is_lost', false); end if;
    if counted_to < (select f.purged from our.feeds as f where f.owner_id = p_owner_id) then
      return json_build_object('events', 0, 'is_more', true, 'is_lost', true);
    end if;
    select max(c.position) as position, count(*) as events into reached
    from (
      select c.position from our.changes as c
      where c.owner_id = p_owner_id and c.position > counted_to order by c.position limit ${COUNTED_MAX}
    ) as c;
    if reached.events = 0 then return json_build_object('events', 0, 'is_more', false, 'is_lost', false); end if;
    with page as materialized (
      select c.aggregate_id, c.version, c.type, case when c.type = 'order.placed' then c.snapshot end as snapshot
      from our.changes as c
      where c.owner_id = p_owner_id and c.position > counted_to and c.position <= reached.position
        and c.aggregate = 'order'
    ),
    changed as materialized (
      select v.sign, (
        select c.snapshot from our.changes as c
        where c.owner_id = p_owner_id and c.aggregate = 'order' and c.aggregate_id = v.aggregate_id
          and c.version = v.version
      ) as snapshot
      from (
        select p.aggregate_id, max(p.version) as version, 1 as sign from page as p
        where p.type <> 'order.placed' group by p.aggregate_id having not bool_or(p.type = 'order.deleted')
        union all
        select p.aggregate_id, min(p.version) - 1, -1 from page as p
        where p.type <> 'order.placed' group by p.aggregate_id having not bool_or(p.type = 'order.imported') and min(p.version) > 1
      ) as v
    ),
    known as materialized (
      select not exists (select from changed as c where c.snapshot is null)
        and not exists (select from page as p where p.type = 'order.placed' and p.snapshot is null) as is_known
    )
    select k.is_known, (
      select json_agg(s) from (${sumsOf(`${placedIn('page')}
        where s.type = 'order.placed'
        union all ${figuresIn('changed')}`)}) as s
      where k.is_known and (s.orders <> 0 or s.total <> 0)
    ) into is_known, sums from known as k;
    if is_known then
      -- A statement of its own: Citus would send one that inserts in a part of it to all nodes.
      insert into our.order_statistics as s (owner_id, quarter, status, currency, orders, total)
      select p_owner_id, r.quarter, r.status, r.currency, r.orders, r.total
      from json_to_recordset(sums) as r (quarter int, status text, currency text, orders bigint, total numeric)
      on conflict (owner_id, quarter, status, currency)
      do update set orders = s.orders + excluded.orders, total = s.total + excluded.total;
      update our.checkpoints as k set position = c.position, event = right(replace(c.event_id::text, '-', ''), 16)
      from our.changes as c
      where k.owner_id = p_owner_id and k.name = '${STATISTICS_CONSUMER}'
        and c.owner_id = p_owner_id and c.position = reached.position;
    end if;
    return json_build_object('events', reached.events, 'is_more', not is_known or reached.events = ${COUNTED_MAX}, 'is_lost', not is_known);
  end`,
});
