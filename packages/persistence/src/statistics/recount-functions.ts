import { databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import {
  addSums,
  checkpointOf,
  COUNTED_BYTES_MAX,
  COUNTED_MAX,
  ENSURE_CHECKPOINT,
  eventOf,
  figuresIn,
  ORDER,
  RECOUNT,
  STATISTICS_CONSUMER,
  sumsOf,
} from './figures-sql.ts';

/** Maximum number of sums of earlier revisions that are deleted together. */
const DELETED_MAX = 10_000;

const KEY = 's.revision, s.width, s.quarter, s.status, s.currency';

/** The least id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Begins to count the orders of an owner again, up to the newest event that has a position. One that is under way continues,
 * unless it `restarts`.
 */
export const beginRecount = databaseFunction('statistics_begin_recount', {
  parameters: { owner_id: 'text', restarts: 'boolean' },
  returns: 'boolean',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    reached record;
  begin
    ${ENSURE_CHECKPOINT}
    select p.position, ${eventOf('p.event_id')} as event, (select k.fence + 1 from ${checkpointOf(STATISTICS_CONSUMER)}) as revision
    into reached
    from (
      (select c.position, c.event_id from our.changes as c
        where c.owner_id = p_owner_id and c.position is not null order by c.position desc limit 1)
      union all
      select f.purged, f.purged_id from our.feeds as f where f.owner_id = p_owner_id
      union all
      select 0, null
    ) as p order by p.position desc limit 1;
    insert into our.checkpoints as k (owner_id, name, position, event, fence)
    values (p_owner_id, '${RECOUNT}', reached.position, reached.event || ' ${FIRST_ID}', reached.revision)
    on conflict (owner_id, name)
    do update set position = excluded.position, event = excluded.event, fence = k.fence + 1 where p_restarts;
    return found;
  end`,
});

/**
 * What a step of a recount was: nothing, because there is none or another process does it; orders were counted; events
 * are to be counted next; its figures have replaced those that were read; earlier figures were deleted; or it has ended.
 */
export type RecountStep = 'none' | 'busy' | 'counted' | 'behind' | 'replaced' | 'deleted' | 'ended';

/**
 * Does the next step of a recount. Each order counts with its newest version up to the position of the recount; what has a
 * later one is counted by {@link countEvents}. Readers see the earlier figures until the new ones have reached as far.
 */
export const continueRecount = databaseFunction('statistics_recount', {
  parameters: { owner_id: 'text' },
  returns: 'text',
  settings: PLANNED_ONCE_IN_ORDER,
  body: `declare
    recount record;
    walked record;
    current record;
    kept record;
  begin
    if not exists (select from ${checkpointOf(RECOUNT)}) then return 'none'; end if;
    select k.position, k.fence, left(k.event, 16) as event, nullif(substr(k.event, 18), '')::uuid as id
    into recount from ${checkpointOf(RECOUNT)} for update skip locked;
    if not found then return 'busy'; end if;
    if recount.id is not null then
      with recursive walk as (
        select recount.id as id, null::int as version, 0::bigint as bytes, 0 as orders
        union all
        select n.id, v.version, w.bytes + coalesce(v.bytes, 0), w.orders + 1
        from walk as w
        cross join lateral (
          select c.aggregate_id as id from our.changes as c
          where c.owner_id = p_owner_id and c.aggregate = '${ORDER}' and c.aggregate_id > w.id
          order by c.aggregate_id limit 1
        ) as n
        left join lateral (
          select c.version, octet_length(c.snapshot::text) as bytes from our.changes as c
          where c.owner_id = p_owner_id and c.aggregate = '${ORDER}' and c.aggregate_id = n.id
            and (c.type is null or c.position <= recount.position)
          order by c.version desc limit 1
        ) as v on true
        where w.orders < ${COUNTED_MAX} and w.bytes < ${COUNTED_BYTES_MAX}
      ),
      walked as materialized (select * from walk),
      counted as materialized (
        select 1 as sign, c.snapshot, c.snapshot -> 'total' as total from walked as w
        cross join lateral (
          select c.snapshot from our.changes as c
          where c.owner_id = p_owner_id and c.aggregate = '${ORDER}' and c.aggregate_id = w.id and c.version = w.version
            and c.snapshot is not null
          limit 1
        ) as c
      )
      select (select w.id from walked as w order by w.orders desc limit 1) as id,
        (select max(w.orders) < ${COUNTED_MAX} and max(w.bytes) < ${COUNTED_BYTES_MAX} from walked as w) as is_last,
        (${sumsOf(figuresIn('counted'))}) as sums
      into walked;
      ${addSums('recount.fence', 'walked.sums')}
      update our.checkpoints as k set event = recount.event || case when walked.is_last then '' else ' ' || walked.id end
      where k.owner_id = p_owner_id and k.name = '${RECOUNT}';
      return 'counted';
    end if;
    select k.position, k.fence into current from ${checkpointOf(STATISTICS_CONSUMER)} for update skip locked;
    if not found then return 'busy'; end if;
    if current.fence <> recount.fence then
      if recount.position < current.position then return 'behind'; end if;
      update our.checkpoints as k set position = recount.position, event = recount.event, fence = recount.fence
      where k.owner_id = p_owner_id and k.name = '${STATISTICS_CONSUMER}';
      return 'replaced';
    end if;
    select ${KEY} into kept from our.order_statistics as s
    where s.owner_id = p_owner_id and s.revision < recount.fence order by ${KEY} offset ${DELETED_MAX} limit 1;
    delete from our.order_statistics as s where s.owner_id = p_owner_id and (${KEY}) < (
      coalesce(kept.revision, recount.fence), coalesce(kept.width, 0::smallint), coalesce(kept.quarter, 0),
      coalesce(kept.status, ''), coalesce(kept.currency, '')
    );
    if found then return 'deleted'; end if;
    delete from ${checkpointOf(RECOUNT)};
    return 'ended';
  end`,
});
