import type { OpenedPools } from '../database/opened-pools.ts';
import { abortable } from '../postgres/abortable.ts';
import { usesCitus } from '../postgres/uses-citus.ts';
import { inSchema } from '../tables/schema.ts';
import { COUNTED_MAX } from './orders-in-removed-statuses.ts';

/** Statuses of owners per statement: few enough that it takes milliseconds. */
const VISITED = 1000;

/** An order of the index that no other index has: PostgreSQL cannot choose another one, which would read all orders. */
const BY_OWNER_AND_STATUS = 'order by o.owner_id, o.status collate "C" limit 1';

/**
 * Visits a batch of the statuses that orders of each owner have, and counts the orders in those that are wanted. It reads one
 * entry of an index for each status of an owner, and one for each counted order; the others are passed over.
 */
const BY_OWNERS = `with recursive walk (owner_id, status) as (
      (
        select o.owner_id, o.status from our.orders as o
        where (o.owner_id, o.status collate "C") > ($1, $2) ${BY_OWNER_AND_STATUS}
      )
      union all
      select n.owner_id, n.status from walk as w cross join lateral (
        select o.owner_id, o.status from our.orders as o
        where (o.owner_id, o.status collate "C") > (w.owner_id, w.status) ${BY_OWNER_AND_STATUS}
      ) as n
    ),
    batch as materialized (select owner_id, status from walk limit ${VISITED})
    select b.owner_id, b.status,
      case when b.status = any($3::text[]) then (
        select count(*)::int from (
          select from our.orders as o
          where o.owner_id = b.owner_id and o.status = b.status collate "C" limit ${COUNTED_MAX + 1}
        ) as held
      ) else 0 end as count
    from batch as b order by b.owner_id, b.status collate "C"`;

/** Counts the orders in each status on the nodes of a cluster, each of which reads its shards until it has enough. */
const BY_SHARDS = `select status, count(*)::int as count from (
      select status from our.orders where status = any($1::text[]) limit ${COUNTED_MAX + 1}
    ) as held group by status`;

interface Counted {
  readonly status: string;
  readonly count: number;
}

interface CountedOfOwner extends Counted {
  readonly owner_id: string;
}

/**
 * Returns the number of stored orders in each of the statuses that orders have, up to {@link COUNTED_MAX} and one more. It
 * takes as long as there are owners, times the statuses of each. On Citus it takes as long as there are orders.
 */
export async function countOrdersIn(
  statuses: readonly string[],
  { primary, orm }: Pick<OpenedPools, 'primary' | 'orm'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const add = (rows: readonly Counted[]) => {
    for (const { status, count } of rows)
      if (count > 0) counts.set(status, Math.min((counts.get(status) ?? 0) + count, COUNTED_MAX + 1));
  };
  const wanted = `{${statuses.join()}}`;
  // Citus accepts no recursive query over several owners.
  if (await usesCitus(primary)) {
    add(await abortable(signal, () => primary.execute<Counted>({ text: inSchema(orm, BY_SHARDS) }, [wanted])));
    return counts;
  }
  const byOwners = { text: inSchema(orm, BY_OWNERS) };
  for (let last: Omit<CountedOfOwner, 'count'> | undefined = { owner_id: '', status: '' }; last;) {
    const values: readonly string[] = [last.owner_id, last.status, wanted];
    const rows: readonly CountedOfOwner[] = await abortable(signal, () =>
      primary.execute<CountedOfOwner>(byOwners, values),
    );
    add(rows);
    const isEnough = statuses.every((status) => (counts.get(status) ?? 0) > COUNTED_MAX);
    last = isEnough || rows.length < VISITED ? undefined : rows.at(-1);
  }
  return counts;
}
