import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import { loadWithIdempotency } from '../writes/load-statement.ts';
import { writeStatements } from '../writes/write-statements.ts';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';
import { OrderEntity } from './order-entity.ts';
import type { OrderRow } from './order-row.ts';
import { orderColumns } from './order-columns.ts';

/** Returns every statement on orders except lists, each built once. Every subquery of a statement filters by owner. */
export function orderStatements(orm: Orm) {
  const db = orm.em.getKysely();
  const columns = orderColumns(orm);

  return {
    writes: writeStatements(orm, {
      table: 'orders',
      entity: OrderEntity,
      // An order's items never change, nor do the sums of them.
      fixed: ['currency', 'total_amount', 'item_count', 'items', 'created_at'],
      erases: false,
    }),

    find: prepare<{ order: { owner_id: Owner; id: string } }, OrderRow>(
      db,
      (p) => sql<OrderRow>`
        select ${columns} from orders as o where o.owner_id = ${p('order', 'owner_id')} and o.id = ${p('order', 'id')}`,
    ),

    load: loadWithIdempotency<OrderRow>(orm, 'orders', columns),

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
