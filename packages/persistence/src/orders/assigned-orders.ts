import type { AssignedOrders, OrderDefinition, OrderRepository } from '@orders/domain';
import { type RawBuilder, sql } from 'kysely';
import { ok, type Result } from 'neverthrow';
import type { Executor } from '../postgres/executor.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { erasedColumns } from '../tables/personal-data.ts';
import type { Target } from '../writes/write-functions.ts';

/** Versions per statement: few enough that it takes milliseconds, and that few orders are found. */
const SCANNED = 200;
const VERSION_MAX = 2 ** 31 - 1;
const FIRST = { id: '00000000-0000-0000-0000-000000000000', version: 0 };

export interface AssignedValues {
  readonly target: Target;
  readonly after: { readonly id: string; readonly version: number };
}

/** A batch of versions as the driver returns it: where it ends, and the orders in it, sorted by their ids. */
export interface AssignedRow {
  readonly id: string | null;
  readonly version: number | null;
  readonly scanned: number;
  readonly orders: readonly { readonly id: string; readonly version: number; readonly type: string | null }[];
}

/** Returns the statements of an erasure about the orders of a customer. Every subquery filters by owner. */
export function assignedOrderStatements(orm: Orm) {
  const erased = [...erasedColumns('changes', 'c')].map(([name, value]) => sql.raw(`${name} = ${value}`));
  return {
    /** Reads a batch of versions by the primary key: no index has the customers of earlier versions. */
    find: prepare<AssignedValues, AssignedRow>(
      orm,
      (p) => sql<AssignedRow>`
        with batch as materialized (
          select c.aggregate_id, c.version, c.snapshot ->> 'customer_id' = ${p('target', 'id')}::text as is_assigned
          from our.changes as c
          where c.owner_id = ${p('target', 'owner_id')} and c.aggregate = 'order'
            and (c.aggregate_id, c.version) > (${p('after', 'id')}::uuid, ${p('after', 'version')}::int)
          order by c.aggregate_id, c.version limit ${sql.lit(SCANNED)}
        ),
        assigned as (select distinct b.aggregate_id from batch as b where b.is_assigned)
        select e.aggregate_id as id, e.version, (select count(*)::int from batch) as scanned,
          (select coalesce(json_agg(json_build_object('id', a.aggregate_id, 'version', n.version, 'type', n.type)
              order by a.aggregate_id), '[]')
            from assigned as a cross join lateral (
              select c.version, c.type from our.changes as c
              where c.owner_id = ${p('target', 'owner_id')} and c.aggregate = 'order' and c.aggregate_id = a.aggregate_id
              order by c.version desc limit 1) as n) as orders
        from (select 1) as always
        left join (select b.aggregate_id, b.version from batch as b order by b.aggregate_id desc, b.version desc limit 1) as e
          on true`,
    ),

    eraseDeleted: prepare<{ target: Target }, { version: number }>(orm, (p) => {
      const isVersion = sql`c.owner_id = ${p('target', 'owner_id')} and c.aggregate = 'order'
          and c.aggregate_id = ${p('target', 'id')}`;
      return sql<{ version: number }>`
          with old as (
            select c.version from our.changes as c
            where ${isVersion} and not exists (select from our.orders as o
              where o.owner_id = ${p('target', 'owner_id')} and o.id = ${p('target', 'id')})
            order by c.occurred_at, c.version for update of c
          )
          update our.changes as c set ${sql.join(erased) satisfies RawBuilder<unknown>}
          where ${isVersion} and (c.version in (select old.version from old)) is true
          returning c.version`;
    }),
  };
}

/** Returns what an erasure uses of the repository of orders, each one statement. */
export function assignedOrders(
  { find, eraseDeleted }: ReturnType<typeof assignedOrderStatements>,
  primary: Executor,
): Pick<OrderRepository<OrderDefinition>, 'findAssigned' | 'eraseDeleted'> {
  return {
    findAssigned: (owner, customerId, after) => {
      const read = async (): Promise<Result<AssignedOrders, never>> => {
        const target = { owner_id: owner, id: customerId };
        const [row] = await find(primary, { target, after: after ?? FIRST });
        if (!row) throw new Error('a query of one row returned none');
        const orders = row.orders.map(({ id, version, type }) => ({ id, version, isErased: type === 'order.erased' }));
        if (row.id === null || row.version === null || row.scanned < SCANNED) return ok({ orders, next: null });
        // The other versions of an order that is found need not be read.
        const isFound = orders.at(-1)?.id === row.id;
        return ok({ orders, next: { id: row.id, version: isFound ? VERSION_MAX : row.version } });
      };
      return toResultAsync(read());
    },

    eraseDeleted: (owner, id) =>
      toResultAsync(eraseDeleted(primary, { target: { owner_id: owner, id } }).then(() => ok(null))),
  };
}
