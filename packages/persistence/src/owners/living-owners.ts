import type { Owner } from '@orders/domain';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Orm } from '../tables/orm.ts';
import type { Executor } from '../postgres/executor.ts';
import { type Parameter, prepare, type Statement } from '../sql/statement.ts';

/** The next owners behind another one. */
export interface OwnerPage {
  readonly page: { readonly after: Owner; readonly limit: number };
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
  return prepare(orm, (p) => {
    const limit = sql`${p('page', 'limit')}::int`;
    return sql<{ readonly owner_id: Owner }>`
      with shards as (
        select n.nodename::text as name, n.nodeport as port, string_agg(
          format(${sql.lit(OWNERS_OF_SHARD)}, shard_name(s.logicalrelid, s.shardid), ${p('page', 'after')}::text, ${limit}),
          ' union all ') as owners
        from pg_dist_shard as s
        join pg_dist_placement as p on p.shardid = s.shardid
        join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
        where s.logicalrelid = ${sql.lit(`our.${table}`)}::regclass
        group by n.nodename, n.nodeport
      ),
      nodes as (
        select array_agg(name) as names, array_agg(port) as ports,
          array_agg(format(${sql.lit(OWNERS_OF_NODE)}, owners, ${limit})) as queries
        from shards
      )
      select o.owner_id from nodes
      cross join lateral master_run_on_worker(names, ports, queries, true) as r
      cross join lateral json_array_elements_text(case when r.success then r.result::json else '[]' end) as o (owner_id)
      order by o.owner_id collate "C" limit ${limit}`;
  });
}

/** Some owners; `null` for all. */
export type Owners = readonly Owner[] | null;

interface Among {
  readonly among: { readonly owners: readonly Owner[] };
}

/** Whether an owner is one of those that a statement is about. */
type IsAmong = (owner: Expression<unknown>) => Expression<unknown>;

/**
 * Builds a statement about all owners, and the same one about some. With `isAmong` for every table of the statement, Citus
 * executes it on the nodes of these owners alone.
 */
export function aboutOwners<V extends { readonly [Group in keyof V]: object }, Row>(
  orm: Orm,
  build: (p: Parameter<V & Among>, isAmong: IsAmong) => RawBuilder<Row>,
): (executor: Executor, values: V, owners: Owners) => Promise<readonly Row[]> {
  const all = prepare<V & Among, Row>(orm, (p) => build(p, () => sql`true`));
  const some = prepare<V & Among, Row>(orm, (p) =>
    build(p, (owner) => sql`${owner} = any(${p('among', 'owners')}::text[])`),
  );
  return (executor, values, owners) =>
    (owners === null ? all : some)(executor, { ...values, among: { owners: owners ?? [] } });
}

/** A range of owners, without its beginning. */
export interface OwnerRange {
  readonly range: { readonly after: Owner; readonly until: Owner };
}
