import type { Owner } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { columnsOf } from '../shared/columns.ts';
import { OrderEntity } from './order-entity.ts';
import type { ItemTuple } from './order-row.ts';

/**
 * Returns the columns of an order that is read as `o`: all of its entity except `item_count`, which follows from the
 * items.
 */
export function orderColumns(orm: Orm): Expression<unknown> {
  const columns = columnsOf(orm, OrderEntity).filter(({ name }) => name !== 'item_count');
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}

/** Returns the expression of the line items of order `id`, as one JSON value. */
export function selectItems(owner: Expression<Owner>, id: Expression<string>) {
  return sql<readonly ItemTuple[]>`(
    select json_agg(
      json_build_array(i.id, i.sku, i.name, i.quantity, i.unit_amount, i.total_amount) order by i.line
    ) from order_items i where i.owner_id = ${owner} and i.order_id = ${id}
  )`;
}
