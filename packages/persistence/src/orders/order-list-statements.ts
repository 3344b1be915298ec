import { type OrderQuery, type OrderStatus, type Owner, PAGE_ITEMS_MAX } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../database.ts';
import { type Parameter, prepare, type Statement } from '../shared/statement.ts';
import type { ItemTuple, OrderRow } from './order-row.ts';
import { ORDER_COLUMNS, selectItems } from './select-order.ts';

/** An order of a page; the one behind the page comes without its items, to say that there is more. */
export type ListedRow = Omit<OrderRow, 'items'> & { readonly items: readonly ItemTuple[] | null };

export interface ListValues {
  readonly query: {
    readonly owner_id: Owner;
    readonly limit: number;
    readonly offset: number;
    readonly after_value: string | null;
    readonly after_id: string | null;
    readonly status: readonly OrderStatus[] | null;
    readonly customer_id: string | null;
    readonly reference: string | null;
  };
}

/** The statement of a list, by which parts its query has. Each shape is built when it is first asked for. */
export function orderListStatements(orm: Orm): (query: OrderQuery) => Statement<ListValues, ListedRow> {
  const built = new Map<string, Statement<ListValues, ListedRow>>();
  return (query) => {
    const { sort, after, status, customer_id, reference } = query;
    const shape = [sort, after && 'after', status && 'status', customer_id && 'customer', reference && 'reference'];
    const key = shape.join(' ');
    const statement = built.get(key) ?? prepare(orm.em.getKysely(), (p) => listStatement(orm, query, p));
    built.set(key, statement);
    return statement;
  };
}

function listStatement(orm: Orm, query: OrderQuery, p: Parameter<ListValues>) {
  const db = orm.em.getKysely();
  const descending = query.sort.startsWith('-');
  const column = query.sort.endsWith('created_at') ? ('created_at' as const) : ('updated_at' as const);
  const direction = descending ? ('desc' as const) : ('asc' as const);
  const behind = descending ? sql.raw('<') : sql.raw('>');
  const found = db
    .selectFrom('orders as o')
    .select(ORDER_COLUMNS)
    .select('o.item_count')
    .where('o.owner_id', '=', p('query', 'owner_id'))
    .$if(query.status !== null, (q) => q.where(sql<boolean>`o.status = any(${p('query', 'status')})`))
    .$if(query.customer_id !== null, (q) => q.where('o.customer_id', '=', p('query', 'customer_id')))
    .$if(query.reference !== null, (q) => q.where('o.reference', '=', p('query', 'reference')))
    .$if(query.after !== null, (q) =>
      q.where(
        sql<boolean>`(${sql.ref(`o.${column}`)}, o.id) ${behind} (${p('query', 'after_value')}::timestamptz, ${p('query', 'after_id')}::uuid)`,
      ),
    )
    .orderBy(`o.${column}`, direction)
    .orderBy('o.id', direction)
    .limit(sql<number>`${p('query', 'limit')}::int + 1`)
    .offset(p('query', 'offset'));
  const order = sql`(order by ${sql.ref(column)} ${sql.raw(direction)}, id ${sql.raw(direction)})`;
  return db
    .selectFrom(
      db
        .selectFrom(found.as('f'))
        .selectAll()
        .select(sql<string>`row_number() over ${order}`.as('place'))
        .select(sql<string>`sum(f.item_count) over ${order}`.as('items_so_far'))
        .as('o'),
    )
    .select(ORDER_COLUMNS)
    .select(
      // Only what the page has room for is read, beginning with the first order whatever its size.
      sql<readonly ItemTuple[] | null>`case
        when o.place = 1 or (o.place <= ${p('query', 'limit')}::int and o.items_so_far <= ${sql.lit(PAGE_ITEMS_MAX)})
        then ${selectItems(p('query', 'owner_id'), sql.ref('o.id'))} end`.as('items'),
    )
    .orderBy('o.place');
}
