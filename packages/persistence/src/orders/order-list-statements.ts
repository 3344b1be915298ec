import {
  type FilterValues,
  type ListFilters,
  type OrderFilter,
  orderFilters,
  type OrderQuery,
  ORDERS,
  type PageQuery,
  PAGE_BYTES_MAX,
  PAGE_ELEMENTS_MAX,
} from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import type { Orm } from '../tables/orm.ts';
import {
  type FilterConditions,
  filterConditions,
  type Listed,
  METADATA_BYTES,
  type PageValues,
  selectPage,
} from '../sql/keyset-page.ts';
import { pageStatements } from '../sql/read-page.ts';
import type { Parameter } from '../sql/statement.ts';
import type { OrderRow } from './order-row.ts';
import { orderColumns } from './order-statements.ts';
import type { OrderShape } from './order-shape.ts';

/** Those of every definition: which names a status may have is checked before. */
const FILTERS = orderFilters(ORDERS);

/** The lookups as a source of keys: their columns in order, with the names that those of orders have. */
const LOOKUPS = sql`our.order_lookups as o (owner_id, name, value, created_at, id)`;

/** Returns a function that returns the statement for a query. Each shape is built at its first use. */
export function orderListStatements(orm: Orm, shape: OrderShape) {
  const columns = orderColumns(shape);
  const customBytes = shape.hasCustom ? sql` + coalesce(octet_length(o.custom::text), 0)` : sql``;
  // The bytes of an order's texts; see `freeTextBytes` of the domain.
  const textBytes = sql`coalesce(octet_length(o.note), 0) + ${METADATA_BYTES}${customBytes}`;
  const listed = {
    table: 'orders',
    columns,
    read: sql`${columns}, o.element_count`,
    room: [
      { of: sql`o.element_count`, max: PAGE_ELEMENTS_MAX },
      { of: textBytes, max: PAGE_BYTES_MAX },
    ],
  };
  return pageStatements<OrderQuery, PageValues & OrderFilter, OrderRow>(orm, FILTERS, (query, p) => {
    return selectOrders(query, FILTERS, listed, p);
  });
}

/** The filters of which each list of orders has some. */
type ScannedBy = Pick<OrderFilter, 'status' | 'ids' | 'reference' | 'lookup'>;

/** Selects a page of orders by filters. */
export function selectOrders<Row, Filters extends ListFilters>(
  query: PageQuery & ScannedBy & FilterValues<Filters>,
  filters: Filters,
  listed: Pick<Listed, 'table' | 'columns' | 'read' | 'room'>,
  p: Parameter<PageValues & ScannedBy & FilterValues<Filters>>,
): Sql<Row> {
  const { others, ...ranges } = filterConditions(filters, query, p);
  const keysFrom = query.lookup ? LOOKUPS : undefined;
  const source = { ...listed, ...ranges, keysFrom, scans: scans(query, others, p), scanOrder: scanOrder(query) };
  return selectPage(query, source, p);
}

/**
 * Returns the conditions of each index scan. The index is sorted within each status only, so each status gets a scan of
 * its own, limited to the page length; the scans are then merged. Any other filter selects so few orders that further
 * conditions only filter them.
 */
function scans(
  query: ScannedBy,
  { status, ...others }: FilterConditions['others'],
  p: Parameter<ScannedBy>,
): readonly (readonly Sql[])[] {
  const conditions = Object.values(others);
  if (!status) return [conditions];
  if (conditions.length > 0 || query.ids) return [[...conditions, status]];
  const statuses = sql`${p('status')}::text[]`;
  return (query.status ?? []).map((_, index) => [sql`o.status = (${statuses})[${sql.lit(index + 1)}] collate "C"`]);
}

/** Returns the order of the index for a filter that selects one order. */
function scanOrder({ reference, lookup }: ScannedBy): Sql | undefined {
  return reference === null || lookup ? undefined : sql`order by o.reference collate "C"`;
}
