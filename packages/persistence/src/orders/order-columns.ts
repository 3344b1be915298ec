import { type Expression, sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { columnsOf } from '../shared/columns.ts';
import { OrderEntity } from './order-entity.ts';

/**
 * Returns the columns of an order that is read as `o`: all of its entity except `item_count`, which follows from the
 * items.
 */
export function orderColumns(orm: Orm): Expression<unknown> {
  const columns = columnsOf(orm, OrderEntity).filter(({ name }) => name !== 'item_count');
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}
