import type { Owner } from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { Orm } from '../tables/orm.ts';
import type { Executor } from '../postgres/executor.ts';
import { type Inserted, type Part, prepare, type Statement } from '../sql/statement.ts';

/** The owners behind another one, or those with as many rows. */
export interface OwnerPage {
  readonly after: Owner;
  readonly limit: number;
}

/** Returns the first entries of each owner in the index that begins with it, and reads nothing between them. */
const OWNERS_OF_SHARD = `(
  with recursive found as (
    (select owner_id from %1$s where owner_id > %2$L order by owner_id limit 1)
    union all
    select (select o.owner_id from %1$s as o where o.owner_id > found.owner_id order by o.owner_id limit 1) from found
    where found.owner_id is not null
  )
  select owner_id from found where owner_id is not null limit %3$s)`;

const OWNERS_OF_NODE = `select coalesce(json_agg(n.owner_id), '[]') from (%s order by owner_id limit %s) as n`;

/**
 * Returns the statement that selects the next owners with rows in a table, on those nodes of a Citus cluster that respond.
 * Citus has no query over the tables that leaves a node out, but runs a text on each node and returns the failures.
 */
export function livingOwners(orm: Orm, table: string): Statement<OwnerPage, { readonly owner_id: Owner }> {
  return prepare<OwnerPage, { readonly owner_id: Owner }>(orm)`
      with shards as (
        select n.nodename::text as name, n.nodeport as port, string_agg(
          format(${sql.lit(OWNERS_OF_SHARD)}, shard_name(s.logicalrelid, s.shardid), ${'after'}::text, ${'limit'}::int),
          ' union all ') as owners
        from pg_dist_shard as s
        join pg_dist_placement as p on p.shardid = s.shardid
        join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
        where s.logicalrelid = ${sql.lit(`our.${table}`)}::regclass
        group by n.nodename, n.nodeport
      ),
      nodes as (
        select array_agg(name) as names, array_agg(port) as ports,
          array_agg(format(${sql.lit(OWNERS_OF_NODE)}, owners, ${'limit'}::int)) as queries
        from shards
      )
      select o.owner_id from nodes
      cross join lateral master_run_on_worker(names, ports, queries, true) as r
      cross join lateral json_array_elements_text(case when r.success then r.result::json else '[]' end) as o (owner_id)
      order by o.owner_id collate "C" limit ${'limit'}::int`;
}

/** Some owners; `null` for all. */
export type Owners = readonly Owner[] | null;

interface Among {
  readonly owners: readonly Owner[];
}

/** Whether an owner is one of those that a statement is about. */
export const among =
  (owner: string): Part<Among> =>
  (p, isAboutSome) =>
    isAboutSome ? sql`${sql.ref(owner)} = any(${p('owners')}::text[])` : sql`true`;

/**
 * Returns the tag of a statement about all owners, and the same one about some. With {@link among} for every table of the
 * statement, Citus executes it on the nodes of these owners alone.
 */
export function aboutOwners<V extends object, Row>(orm: Orm) {
  return (text: TemplateStringsArray, ...inserted: readonly Inserted<V & Among>[]) => {
    const all = prepare<V & Among, Row>(orm)(text, ...inserted);
    const some = prepare<V & Among, Row>(orm, true)(text, ...inserted);
    return (executor: Executor, values: V, owners: Owners): Promise<readonly Row[]> =>
      (owners === null ? all : some)(executor, { ...values, owners: owners ?? [] });
  };
}

/** A range of owners, without its beginning. */
export interface OwnerRange {
  readonly after: Owner;
  readonly until: Owner;
}
