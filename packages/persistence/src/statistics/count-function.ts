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

const isPacked = (snapshot: string) => `(pg_column_compression(${snapshot}) is not null)::int`;

/** The bytes of a snapshot, which are read only if they are compressed. */
const bytesOf = (snapshot: string) => `case when pg_column_compression(${snapshot}) is null
          then coalesce(pg_column_size(${snapshot}), 0) else octet_length(${snapshot}::text) end`;

/** Compressed versions of a turn. The next turn would decompress those that do not fit into this one again. */
const PACKED_MAX = 50;

/** Whether the event `e` has an order replace a version. */
const REPLACES = `e.aggregate = '${ORDER}' and e.version > 1 and e.type <> 'order.imported'`;

/**
 * Counts the next events of an owner for one of its two checkpoints, unless another process does. A new order is counted by
 * its event. Any other event counts the version that it made, and counts the one before it no longer. Large versions are counted in
 * smaller turns, at least one event in each.
 */
export const countEvents = databaseFunction('statistics_count', {
  parameters: { owner_id: 'text', name: 'text' },
  returns: 'json',
  settings: PLANNED_ONCE,
  body: `declare
    counted record;
    reached record;
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
    with page as materialized (
      select e.*, e.packed <= ${PACKED_MAX} and coalesce(
          sum(case when e.packed <= ${PACKED_MAX} then ${bytesOf('e.snapshot')} + ${bytesOf('e.replaced')} end)
          over (order by e.position rows between unbounded preceding and 1 preceding), 0) < ${COUNTED_BYTES_MAX} as fits
      from (
        select e.*, sum(${isPacked('e.snapshot')} + ${isPacked('e.replaced')}) over (order by e.position) as packed from (
        select e.position, e.type, e.aggregate = '${ORDER}' as counts, ${REPLACES} as replaces,
          case when e.aggregate = '${ORDER}' then e.snapshot end as snapshot,
          case when ${REPLACES} then (
            select c.snapshot from our.changes as c
            where c.owner_id = p_owner_id and c.aggregate = '${ORDER}' and c.aggregate_id = e.aggregate_id
              and c.version = e.version - 1
          ) end as replaced
        from our.changes as e
        where e.owner_id = p_owner_id and e.position > counted.position order by e.position limit ${COUNTED_MAX}
        ) as e
      ) as e
    ),
    versions as materialized (
      select 1 as sign, e.type, e.snapshot, e.snapshot -> 'total' as total from page as e
      where e.fits and e.counts and e.type <> 'order.deleted'
      union all
      select -1, e.type, e.replaced, e.replaced -> 'total' from page as e where e.fits and e.replaces
    )
    select r.*, not exists (select from versions as v where v.snapshot is null) as is_known, (
      ${sumsOf(`${placedIn('versions')}
        where s.type = 'order.placed'
        union all ${figuresIn('versions')} and s.type <> 'order.placed'`)}
    ) as sums
    into reached
    from (
      select max(e.position) filter (where e.fits) as position, count(*) filter (where e.fits) as events,
        count(*) = ${COUNTED_MAX} or not bool_and(e.fits) as is_more
      from page as e
    ) as r;
    if reached.events = 0 then
      return json_build_object('events', 0, 'is_more', false, 'is_lost', false, ${IS_RECOUNTED});
    end if;
    if reached.is_known then
      ${addSums('counted.fence', 'reached.sums')}
      update our.checkpoints as k set position = c.position, event = ${eventOf('c.event_id')}
      from our.changes as c
      where k.owner_id = p_owner_id and k.name = p_name and c.owner_id = p_owner_id and c.position = reached.position;
    end if;
    return json_build_object('events', reached.events, 'is_more', not reached.is_known or reached.is_more, 'is_lost', not reached.is_known,
      ${IS_RECOUNTED});
  end`,
});
