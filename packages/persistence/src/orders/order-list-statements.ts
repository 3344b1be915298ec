import {
  type OrderDefinition,
  type OrderFilter,
  orderFilters,
  type OrderQuery,
  ORDERS,
  PAGE_BYTES_MAX,
  PAGE_ITEMS_MAX,
} from '@orders/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Orm } from '../tables/orm.ts';
import { filterConditions, METADATA_BYTES, pageShape, type PageValues, selectPage } from '../sql/keyset-page.ts';
import { type Parameter, prepare, type Statement } from '../sql/statement.ts';
import type { OrderRow } from './order-row.ts';
import { orderColumns } from './order-columns.ts';
import type { OrderShape } from './order-shape.ts';

/** A row of a page of orders. */
export type ListedRow = OrderRow & { readonly more: boolean };

export interface ListValues {
  readonly query: PageValues & OrderFilter<OrderDefinition>;
}

type P = Parameter<ListValues>;

/** Those of every definition: which names a status may have is checked before. */
const FILTERS = orderFilters(ORDERS);

/** A query for orders of a definition that is known only when the program runs. */
type AnyQuery = OrderQuery<OrderDefinition>;

/** Returns a function that returns the statement for a query. Each shape is built at its first use. */
export function orderListStatements(
  orm: Orm,
  shape: OrderShape,
): (query: AnyQuery) => Statement<ListValues, ListedRow> {
  const columns = orderColumns(orm, shape);
  const customBytes = shape.hasCustom ? sql` + coalesce(octet_length(o.custom::text), 0)` : sql``;
  const textBytes = sql`coalesce(octet_length(o.note), 0) + ${METADATA_BYTES}${customBytes}`;
  const built = new Map<string, Statement<ListValues, ListedRow>>();
  return (query) => {
    const key = pageShape(query);
    const statement = built.get(key) ?? prepare(orm, (p) => listStatement(query, { columns, textBytes }, p));
    built.set(key, statement);
    return statement;
  };
}

/** What all lists of a definition select. */
interface Selected {
  readonly columns: ReturnType<typeof orderColumns>;
  /** The bytes of an order's texts; see `freeTextBytes` of the domain. */
  readonly textBytes: RawBuilder<unknown>;
}

function listStatement(query: AnyQuery, { columns, textBytes }: Selected, p: P) {
  const listed = {
    table: 'orders',
    columns,
    read: sql`${columns}, o.item_count`,
    scans: scans(query, p),
    scanOrder: query.reference === null ? undefined : sql`order by o.reference collate "C"`,
    room: [
      { of: sql`o.item_count`, max: PAGE_ITEMS_MAX },
      { of: textBytes, max: PAGE_BYTES_MAX },
    ],
  };
  return selectPage<ListedRow>(query, listed, p);
}

/**
 * Returns the conditions of each index scan. The index is sorted within each status only, so each status gets a scan of
 * its own, limited to the page length; the scans are then merged. A reference or a customer selects so few orders that
 * other conditions only filter them.
 */
function scans(query: AnyQuery, p: P): readonly (readonly RawBuilder<unknown>[])[] {
  const { status, ...others } = Object.fromEntries(filterConditions(FILTERS, query, p));
  const conditions = Object.values(others);
  if (!status) return [conditions];
  if (query.reference !== null || query.customer_id !== null) return [[...conditions, status]];
  const statuses = sql`${p('query', 'status')}::text[]`;
  return (query.status ?? []).map((_, index) => [
    sql`o.status = (${statuses})[${sql.lit(index + 1)}] collate "C"`,
    ...conditions,
  ]);
}
