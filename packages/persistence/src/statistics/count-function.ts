import { databaseFunction, PLANNED_ONCE } from '../sql/database-function.ts';
import {
  addSums,
  checkpointOf,
  COUNTED_BYTES_MAX,
  COUNTED_MAX,
  ENSURE_CHECKPOINT,
  eventOf,
  figuresIn,
  ORDER,
  placedIn,
  RECOUNT,
  sumsOf,
} from './figures-sql.ts';

/** The result of a call. */
export interface Counted {
  /** The number of events that were counted. */
  readonly events: number;
  /** Whether the feed has more events. */
  readonly is_more: boolean;
  /** Whether the orders must be counted again, because versions that the next events have replaced are gone. */
  readonly is_lost: boolean;
  /** Whether the orders are being counted again. */
  readonly is_recounted: boolean;
}

const IS_RECOUNTED = `'is_recounted', exists (select from ${checkpointOf(RECOUNT)})`;

/** The bytes of the versions of an order that its event `c` may need: its own, and the one before it. */
const BYTES = `case when c.aggregate = '${ORDER}' then coalesce(octet_length(c.snapshot::text), 0) + coalesce((
          select octet_length(b.snapshot::text) from our.changes as b
          where b.owner_id = p_owner_id and b.aggregate = '${ORDER}' and b.aggregate_id = c.aggregate_id
            and b.version = c.version - 1 and c.type <> 'order.placed'
        ), 0) else 0 end`;

/**
 * Counts the next events of an owner for one of its two checkpoints, unless another process does. A new order is counted by
 * its event. Of the others, the versions between the first and the last event of an order need not be read: what they count
 * is what they no longer count. Large versions are counted in smaller turns, at least one event in each.
 */
export const countEvents = databaseFunction('statistics_count', {
  parameters: { owner_id: 'text', name: 'text' },
  returns: 'json',
  settings: PLANNED_ONCE,
  body: `declare
    counted record;
    reached record;
    is_known boolean;
    sums json;
  begin
    ${ENSURE_CHECKPOINT}
    select k.position, k.fence into counted from our.checkpoints as k
    where k.owner_id = p_owner_id and k.name = p_name and length(k.event) = 16 for update skip locked;
    if not found then
      return json_build_object('events', 0, 'is_more', false, 'is_lost', false, ${IS_RECOUNTED});
    end if;
    if counted.position < (select f.purged from our.feeds as f where f.owner_id = p_owner_id) then
      return json_build_object('events', 0, 'is_more', true, 'is_lost', true, ${IS_RECOUNTED});
    end if;
    with recursive page as (
      select counted.position as position, 0::bigint as bytes, 0 as events
      union all
      select n.position, p.bytes + n.bytes, p.events + 1
      from page as p
      cross join lateral (
        select c.position, ${BYTES} as bytes from our.changes as c
        where c.owner_id = p_owner_id and c.position > p.position order by c.position limit 1
      ) as n
      where p.events < ${COUNTED_MAX} and p.bytes < ${COUNTED_BYTES_MAX}
    )
    select max(p.position) as position, max(p.events) as events,
      max(p.events) = ${COUNTED_MAX} or max(p.bytes) >= ${COUNTED_BYTES_MAX} as is_more
    into reached from page as p;
    if reached.events = 0 then
      return json_build_object('events', 0, 'is_more', false, 'is_lost', false, ${IS_RECOUNTED});
    end if;
    with page as materialized (
      select c.aggregate_id, c.version, c.type, case when c.type = 'order.placed' then c.snapshot end as snapshot
      from our.changes as c
      where c.owner_id = p_owner_id and c.position > counted.position and c.position <= reached.position
        and c.aggregate = '${ORDER}'
    ),
    changed as materialized (
      select v.sign, (
        select c.snapshot from our.changes as c
        where c.owner_id = p_owner_id and c.aggregate = '${ORDER}' and c.aggregate_id = v.aggregate_id
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
      ${sumsOf(`${placedIn('page')}
        where s.type = 'order.placed'
        union all ${figuresIn('changed')}`)} and k.is_known
    ) into is_known, sums from known as k;
    if is_known then
      ${addSums('counted.fence', 'sums')}
      update our.checkpoints as k set position = c.position, event = ${eventOf('c.event_id')}
      from our.changes as c
      where k.owner_id = p_owner_id and k.name = p_name and c.owner_id = p_owner_id and c.position = reached.position;
    end if;
    return json_build_object('events', reached.events, 'is_more', not is_known or reached.is_more, 'is_lost', not is_known,
      ${IS_RECOUNTED});
  end`,
});
