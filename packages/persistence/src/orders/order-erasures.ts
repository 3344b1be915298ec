import type { OrderDefinition, OrderRepository, Owner, UnerasedOrder, UnerasedOrders } from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { Executor } from '../postgres/executor.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { erasedColumns, isPersonal } from '../tables/personal-data.ts';
import type { Target } from '../writes/write-functions.ts';

/** Versions per statement: few enough that it takes milliseconds, and that few orders are found. */
const SCANNED = 200;
const VERSION_MAX = 2 ** 31 - 1;
const FIRST = { id: '00000000-0000-0000-0000-000000000000', version: 0 };

export interface FindValues {
  readonly owner_id: Owner;
  readonly customer_ids: readonly string[];
  /** The time of the erasure; null for a repeated one. */
  readonly times: readonly (string | null)[];
  readonly repeated: readonly string[];
  /** The last version before the batch. */
  readonly id: string;
  readonly version: number;
}

/** A batch of versions as the driver returns it: where it ends, and the orders in it, sorted by their ids. */
export interface FoundRow {
  readonly id: string | null;
  readonly version: number | null;
  readonly scanned: number;
  readonly orders: readonly UnerasedOrder[];
}

/** Returns the statements of erasures about orders. Every subquery filters by owner. */
export function erasureStatements(orm: Orm) {
  const erased = [...erasedColumns('changes', 'c')].map(([name, value]) => sql.raw(`${name} = ${value}`));
  const isPersonalOrder = sql.raw(isPersonal('orders', 'o'));
  const isPersonalVersion = sql.raw(isPersonal('changes', 'c'));
  const isVersion = (p: Parameter<Target>) =>
    sql`c.owner_id = ${p('owner_id')} and c.aggregate = 'order' and c.aggregate_id = ${p('id')}`;
  return {
    /** Reads a batch of versions by the primary key: no index has the customers of earlier versions. */
    find: prepare<FindValues, FoundRow>(orm)`
        with batch as materialized (
          select c.aggregate_id, c.version, c.snapshot ->> 'customer_id' as customer_id
          from our.changes as c
          where c.owner_id = ${'owner_id'} and c.aggregate = 'order'
            and (c.aggregate_id, c.version) > (${'id'}::uuid, ${'version'}::int)
          order by c.aggregate_id, c.version limit ${sql.lit(SCANNED)}
        ),
        assigned as (
          select b.aggregate_id, max(r.erased_at collate "C") as erased_at
          from batch as b join unnest(${'customer_ids'}::text[], ${'times'}::text[])
            as r (customer_id, erased_at) on r.customer_id = b.customer_id
          group by b.aggregate_id
        )
        select e.aggregate_id as id, e.version, (select count(*)::int from batch) as scanned,
          (select coalesce(json_agg(json_build_object('id', a.aggregate_id, 'version', n.version, 'customer_ids', (
                select json_agg(distinct c.snapshot ->> 'customer_id') from our.changes as c
                where c.owner_id = ${'owner_id'} and c.aggregate = 'order' and c.aggregate_id = a.aggregate_id
                  and c.snapshot ->> 'customer_id' = any(${'customer_ids'}::text[])))
              order by a.aggregate_id), '[]')
            from assigned as a cross join lateral (
              select c.version, case c.type when 'order.erased' then c.snapshot ->> 'erased_at' end as erased_at,
                c.snapshot ->> 'customer_id' = any(${'repeated'}::text[]) as is_repeated
              from our.changes as c
              where c.owner_id = ${'owner_id'} and c.aggregate = 'order' and c.aggregate_id = a.aggregate_id
              order by c.version desc limit 1) as n
            where a.erased_at > coalesce(n.erased_at, '') collate "C" or (n.is_repeated and (
              exists (select from our.orders as o
                where o.owner_id = ${'owner_id'} and o.id = a.aggregate_id and (${isPersonalOrder}))
              or exists (select from our.changes as c
                where c.owner_id = ${'owner_id'} and c.aggregate = 'order' and c.aggregate_id = a.aggregate_id
                  and (${isPersonalVersion}))))) as orders
        from (select 1) as always
        left join (select b.aggregate_id, b.version from batch as b order by b.aggregate_id desc, b.version desc limit 1) as e
          on true`,

    eraseDeleted: prepare<Target, { version: number }>(orm)`
        with old as (
          select c.version from our.changes as c
          where ${isVersion} and not exists (
            select from our.orders as o where o.owner_id = ${'owner_id'} and o.id = ${'id'})
          order by c.occurred_at, c.version for update of c
        )
        update our.changes as c set ${sql.join(erased)}
        where ${isVersion} and (c.version in (select old.version from old)) is true
        returning c.version`,
  };
}

/** Returns what erasures use of the repository of orders, each one statement. */
export function erasuresOfOrders(
  { find, eraseDeleted }: ReturnType<typeof erasureStatements>,
  primary: Executor,
): Pick<OrderRepository<OrderDefinition>, 'findUnerased' | 'eraseDeleted'> {
  return {
    findUnerased: (owner, erased, after) => {
      const read = async (): Promise<UnerasedOrders> => {
        const persons = {
          owner_id: owner,
          customer_ids: erased.map(({ customer_id }) => customer_id),
          times: erased.map(({ erased_at, isRepeated }) => (isRepeated ? null : erased_at)),
          repeated: erased.flatMap(({ customer_id, isRepeated }) => (isRepeated ? customer_id : [])),
        };
        const [row] = await find(primary, { ...persons, ...(after ?? FIRST) });
        if (!row) throw new Error('a query of one row returned none');
        const { orders, id, version, scanned } = row;
        const isLast = id === null || version === null || scanned < SCANNED;
        if (isLast) return { orders, next: null };
        // The other versions of an order that is found need not be read.
        const isFound = orders.at(-1)?.id === id;
        return { orders, next: { id, version: isFound ? VERSION_MAX : version } };
      };
      return orUnavailable(read());
    },

    eraseDeleted: (owner, id) => orUnavailable(eraseDeleted(primary, { owner_id: owner, id }).then(() => null)),
  };
}
