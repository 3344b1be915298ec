import { type Author, type OrderVersionQuery, PAGE_BYTES_MAX, PAGE_ELEMENTS_MAX, PAGE_LIMIT_MAX } from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { StoredSnapshot } from '../writes/change-record.ts';
import type { Orm } from '../tables/orm.ts';
import { SNAPSHOT_ELEMENTS, snapshotBytes } from '../sql/snapshot-size.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import type { StoredParts } from '../tables/order-entity.ts';
import type { OrderShape } from './order-shape.ts';
import { selectParts } from './order-statements.ts';
import type { Target } from '../writes/write-functions.ts';

/** A version of an order as the driver returns it. */
export interface OrderVersionRow extends StoredSnapshot, Author {
  readonly version: number;
  readonly type: `order.${string}` | null;
  readonly changed: readonly string[];
  readonly occurred_at: string;
  /** The parts of the order, on the first row; null without a snapshot. They are as new as the versions. */
  readonly parts: StoredParts | null;
  /** Whether another row of the page follows; absent when one version is read. */
  readonly more?: boolean;
}

type PageValues = Target & Pick<OrderVersionQuery, 'limit'> & { readonly after: number };

/** The columns of a version that is read as `c`. */
export const VERSION_COLUMNS = sql`c.version, c.type, c.changed, c.occurred_at, c.actor, c.external_user_id,
  c.snapshot, c.snapshot_format`;

/** Returns the statements on the versions of an order, each built once. Every subquery filters by owner. */
export function orderVersionStatements(orm: Orm, shape: OrderShape) {
  const bytes = snapshotBytes(shape.hasCustom);
  const isOrder = (p: Parameter<Target>) =>
    sql`c.owner_id = ${p('owner_id')} and c.aggregate = 'order' and c.aggregate_id = ${p('id')}`;
  const parts = (p: Parameter<Target>) => selectParts(p('owner_id'), sql`${p('id')}::uuid`);
  const partsOfOne = (p: Parameter<Target>) => sql`case when c.snapshot is not null then ${parts(p)} end as parts`;
  return {
    find: prepare<Target & { readonly version: number }, OrderVersionRow>(orm)`
        select ${VERSION_COLUMNS}, ${partsOfOne} from our.changes as c
        where ${isOrder} and c.version = ${'version'}`,

    /** Selects a page below the version `after`. Later rows than those of the page are not sent. */
    page: prepare<PageValues, OrderVersionRow>(orm)`
        select ${VERSION_COLUMNS}, c.more, case when c.place = 1 then ${parts} end as parts
        from (
          select c.*, row_number() over page as place, lead(true, 1, false) over page as more,
            sum(${bytes}) over page as bytes,
            sum(${SNAPSHOT_ELEMENTS}) over page as elements
          from (
            select ${VERSION_COLUMNS} from our.changes as c
            where ${isOrder} and c.version < ${'after'}::bigint
            order by c.version desc limit ${sql.lit(PAGE_LIMIT_MAX + 1)}
          ) as c
          window page as (order by c.version desc rows unbounded preceding)
        ) as c
        where c.place = 1 or (c.place <= ${'limit'}::int
          and c.bytes <= ${sql.lit(PAGE_BYTES_MAX)} and c.elements <= ${sql.lit(PAGE_ELEMENTS_MAX)})
        order by c.place`,

    /**
     * Selects the last version that occurred at a time or before it. Times ascend with versions, so it is found by a
     * binary search over the primary key; a version may be missing, so each step reads the next one that exists.
     */
    at: prepare<Target & { readonly at: string }, OrderVersionRow>(orm)`
        with recursive search (low, high) as (
          select
            (select c.version from our.changes as c where ${isOrder} order by c.version limit 1),
            (select c.version from our.changes as c where ${isOrder} order by c.version desc limit 1)
          union all
          select
            case when middle.is_early then middle.version else search.low end,
            case when middle.is_early then search.high else search.low + (search.high - search.low + 1) / 2 - 1 end
          from search cross join lateral (
            select c.version, c.version <= search.high and c.occurred_at <= ${'at'}::timestamptz as is_early
            from our.changes as c
            where ${isOrder} and c.version >= search.low + (search.high - search.low + 1) / 2
            order by c.version limit 1
          ) as middle
          where search.low < search.high
        )
        select ${VERSION_COLUMNS}, ${partsOfOne} from our.changes as c
        where ${isOrder} and c.version = (select low from search where low >= high limit 1)
          and c.occurred_at <= ${'at'}::timestamptz`,
  };
}

export type OrderVersionStatements = ReturnType<typeof orderVersionStatements>;
