import { BY_INDEX, databaseFunction } from '../sql/database-function.ts';
import { CHECKPOINT, figuresIn, LOCK_CHECKPOINT, sumsOf } from './figures-sql.ts';

/**
 * Counts all orders of an owner again, unless another process counts them: returns whether it did. Each order counts with
 * its newest version in the feed; changes that have no position yet, or get one meanwhile, are counted later. Citus would
 * send one statement that inserts in a part of it to all nodes.
 */
export const recountOrders = databaseFunction('statistics_recount', [{ name: 'owner_id', type: 'text' }], {
  returns: 'boolean',
  settings: BY_INDEX,
  body: `declare
    counted_to bigint;
    reached record;
  begin
    ${LOCK_CHECKPOINT}
    if not found then return false; end if;
    delete from our.order_statistics as s where s.owner_id = p_owner_id;
    select p.position, p.event_id into reached
    from (
      (select c.position, c.event_id from our.changes as c
        where c.owner_id = p_owner_id and c.position is not null order by c.position desc limit 1)
      union all
      select f.purged, f.purged_id from our.feeds as f where f.owner_id = p_owner_id
      union all
      select 0, null
    ) as p order by p.position desc limit 1;
    insert into our.order_statistics (owner_id, quarter, status, currency, orders, total)
    select p_owner_id, s.quarter, s.status, s.currency, s.orders, s.total from (${sumsOf(
      figuresIn(`(
        select 1 as sign, n.snapshot from (
          select distinct on (c.aggregate_id) c.snapshot from our.changes as c
          where c.owner_id = p_owner_id and c.aggregate = 'order' and (c.type is null or c.position <= reached.position)
          order by c.aggregate_id, c.version desc
        ) as n where n.snapshot is not null
      )`),
    )}) as s;
    update ${CHECKPOINT.replace(
      ' where',
      ` set position = reached.position, event = coalesce(right(replace(reached.event_id::text, '-', ''), 16), '0000000000000000') where`,
    )};
    return true;
  end`,
});
