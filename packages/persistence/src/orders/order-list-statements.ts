import { type OrderQuery, type OrderStatus, PAGE_ITEMS_MAX } from '@orders/domain';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Orm } from '../database.ts';
import { type KeysetPage, keysetPage, pageShape, type PageValues } from '../shared/keyset-page.ts';
import { type Parameter, prepare, type Statement } from '../shared/statement.ts';
import type { ItemTuple, OrderRow } from './order-row.ts';
import { orderColumns, selectItems } from './select-order.ts';

/** An order of a page; the one behind the page comes without its items, to say that there is more. */
export type ListedRow = Omit<OrderRow, 'items'> & { readonly items: readonly ItemTuple[] | null };

export interface ListValues {
  readonly query: PageValues & {
    readonly status: readonly OrderStatus[] | null;
    readonly customer_id: string | null;
    readonly reference: string | null;
  };
}

type P = Parameter<ListValues>;

/** The statement of a list, by which parts its query has. Each shape is built when it is first asked for. */
export function orderListStatements(orm: Orm): (query: OrderQuery) => Statement<ListValues, ListedRow> {
  const columns = orderColumns(orm);
  const built = new Map<string, Statement<ListValues, ListedRow>>();
  return (query) => {
    const { status, customer_id, reference } = query;
    const key = `${pageShape(query)} ${status?.length} ${customer_id !== null} ${reference !== null}`;
    const statement = built.get(key) ?? prepare(orm.em.getKysely(), (p) => listStatement(query, columns, p));
    built.set(key, statement);
    return statement;
  };
}

function listStatement(query: OrderQuery, columns: Expression<unknown>, p: P) {
  const page = keysetPage(query, p);
  const { order } = page;
  // Only what the page has room for is read of the lines, beginning with the first order whatever its size.
  return sql<ListedRow>`
    select ${columns}, case
      when o.place = 1 or (o.place <= ${p('query', 'limit')}::int and o.items_so_far <= ${sql.lit(PAGE_ITEMS_MAX)})
      then ${selectItems(p('query', 'owner_id'), sql.ref('o.id'))} end as items
    from (
      select o.*, row_number() over (${order}) as place, sum(o.item_count) over (${order}) as items_so_far
      from (${foundOrders(query, columns, page, p)}) as o
    ) as o
    order by o.place`;
}

/** The orders of the page and the one behind it, without their lines. */
function foundOrders(
  query: OrderQuery,
  columns: Expression<unknown>,
  { position, enough, page }: KeysetPage,
  p: P,
): RawBuilder<unknown> {
  const scan = (conditions: readonly RawBuilder<unknown>[]) => sql`(
    select ${columns}, o.item_count from orders as o
    where o.owner_id = ${p('query', 'owner_id')}${sql.join([sql``, ...conditions, ...position], sql` and `)}
    ${enough})`;
  return sql`select o.* from (${sql.join(scans(query, p).map(scan), sql` union all `)}) as o ${page}`;
}

/**
 * The conditions of each scan that finds orders. The index has each status in order, but not several together: a scan
 * for each, no longer than the page, then merged.
 */
function scans(query: OrderQuery, p: P): readonly (readonly RawBuilder<unknown>[])[] {
  if (query.reference !== null || query.customer_id !== null) return [chosen(query, p)];
  if (query.status === null) return [[]];
  return query.status.map((_, index) => [sql`o.status = (${statusesOf(p)})[${sql.lit(index + 1)}]`]);
}

/** What narrows a list down so far that its status is left to a filter. */
function chosen(query: OrderQuery, p: P): readonly RawBuilder<unknown>[] {
  return [
    ...(query.reference === null ? [] : [sql`o.reference = ${p('query', 'reference')}`]),
    ...(query.customer_id === null ? [] : [sql`o.customer_id = ${p('query', 'customer_id')}::uuid`]),
    ...(query.status === null ? [] : [sql`o.status = any(${statusesOf(p)})`]),
  ];
}

function statusesOf(p: P): RawBuilder<unknown> {
  return sql`${p('query', 'status')}::text[]`;
}
