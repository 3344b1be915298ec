import { abortable } from '../shared/abortable.ts';
import type { Executor } from '../shared/executor.ts';
import { COUNTED_MAX } from './orders-in-removed-statuses.ts';

/** Owners per statement: few enough that it takes milliseconds. */
const OWNERS = 1000;

/** Citus accepts no recursive query over several owners. */
const CITUS = { name: '', text: `select to_regclass('pg_dist_partition') is not null as is_installed` };

/**
 * Counts the orders of a batch of owners in each status. It visits one entry of an index for each owner, and one for each
 * of these orders; the other orders of an owner are passed over.
 */
const BY_OWNERS = {
  name: '',
  text: `with recursive walk (owner_id) as (
      select min(o.owner_id) from orders as o where o.owner_id > $1
      union all
      select (select o.owner_id from orders as o where o.owner_id > w.owner_id order by o.owner_id limit 1)
      from walk as w where w.owner_id is not null
    ),
    batch as materialized (select owner_id from walk where owner_id is not null limit ${OWNERS})
    select s.status, max(b.owner_id) as last, count(b.owner_id)::int as owners, coalesce(sum(h.count), 0)::int as count
    from unnest($2::text[]) as s (status) left join batch as b on true
    left join lateral (
      select count(*) from (
        select from orders as o
        where o.owner_id = b.owner_id and o.status = s.status collate "C" limit ${COUNTED_MAX + 1}
      ) as held
    ) as h on true
    group by s.status`,
};

/** Counts the orders in each status on the nodes of a cluster, each of which reads its shards until it has enough. */
const BY_SHARDS = {
  name: '',
  text: `select status, count(*)::int as count from (
      select status from orders where status = any($1::text[]) limit ${COUNTED_MAX + 1}
    ) as held group by status`,
};

interface Counted {
  readonly status: string;
  readonly count: number;
}

interface CountedBatch extends Counted {
  readonly last: string | null;
  readonly owners: number;
}

/**
 * Returns the number of stored orders in each of the statuses that orders have, up to {@link COUNTED_MAX} and one more. It
 * takes as long as there are owners, not orders, except on Citus.
 */
export async function countOrdersIn(
  statuses: readonly string[],
  executor: Executor,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const add = (rows: readonly Counted[]) => {
    for (const { status, count } of rows)
      if (count > 0) counts.set(status, Math.min((counts.get(status) ?? 0) + count, COUNTED_MAX + 1));
  };
  const wanted = `{${statuses.join()}}`;
  const [citus] = await executor.execute<{ readonly is_installed: boolean }>(CITUS, []);
  if (citus?.is_installed) {
    add(await abortable(signal, () => executor.execute<Counted>(BY_SHARDS, [wanted])));
    return counts;
  }
  for (let after: string | null = ''; after !== null;) {
    const values: readonly [string, string] = [after, wanted];
    const rows: readonly CountedBatch[] = await abortable(signal, () =>
      executor.execute<CountedBatch>(BY_OWNERS, values),
    );
    add(rows);
    const [batch] = rows;
    const isEnough = statuses.every((status) => (counts.get(status) ?? 0) > COUNTED_MAX);
    after = isEnough || batch === undefined || batch.owners < OWNERS ? null : batch.last;
  }
  return counts;
}
