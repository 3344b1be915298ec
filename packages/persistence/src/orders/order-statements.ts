import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import { loadWithIdempotency } from '../writes/load-statement.ts';
import { writeStatements } from '../writes/write-statements.ts';
import type { Orm } from '../orm.ts';
import { columnsOf } from '../shared/columns.ts';
import { prepare } from '../shared/statement.ts';
import { OrderEntity } from './order-entity.ts';
import { OrderItemEntity } from './order-item-entity.ts';
import type { OrderRow } from './order-row.ts';
import { orderColumns, selectItems } from './select-order.ts';

/** Returns every statement on orders except lists, each built once. Every subquery of a statement filters by owner. */
export function orderStatements(orm: Orm) {
  const db = orm.em.getKysely();
  const columns = orderColumns(orm);
  const items = columnsOf(orm, OrderItemEntity).filter(({ name }) => name !== 'order_id');
  const itemNames = sql.join(items.map(({ name }) => sql.ref(name)));
  const itemTypes = sql.join(items.map(({ name, type }) => sql`${sql.ref(name)} ${sql.raw(type)}`));

  return {
    writes: writeStatements(orm, {
      table: 'orders',
      entity: OrderEntity,
      // An order's line items never change, nor do the sums of them.
      fixed: ['currency', 'total_amount', 'item_count', 'created_at'],
      insertChildren: (p) => sql`
        insert into order_items (owner_id, order_id, ${itemNames})
        select ${p('target', 'owner_id')}::text, ${p('target', 'id')}::uuid, ${itemNames}
        from recorded, json_to_recordset(${p('children', 'json')}::json) as i(${itemTypes})`,
      erases: false,
    }),

    find: prepare<{ order: { owner_id: Owner; id: string } }, OrderRow>(
      db,
      (p) => sql<OrderRow>`
        select ${columns}, ${selectItems(p('order', 'owner_id'), p('order', 'id'))} as items
        from orders as o where o.owner_id = ${p('order', 'owner_id')} and o.id = ${p('order', 'id')}`,
    ),

    load: loadWithIdempotency<OrderRow>(
      orm,
      'orders',
      (p) => sql`${columns}, ${selectItems(p('target', 'owner_id'), p('target', 'id'))} as items`,
    ),

    holderOfReference: prepare<{ order: { owner_id: Owner; reference: string | null } }, { id: string }>(
      db,
      (p) => sql`select id from orders
        where owner_id = ${p('order', 'owner_id')} and reference = ${p('order', 'reference')} collate "C"`,
    ),

    /** Selects the customer that an order refers to, if it exists. */
    customer: prepare<{ order: { owner_id: Owner; customer_id: string | null } }, { id: string }>(db, (p) =>
      db
        .selectFrom('customers')
        .select('id')
        .where('owner_id', '=', p('order', 'owner_id'))
        .where('id', '=', p('order', 'customer_id')),
    ),
  };
}
