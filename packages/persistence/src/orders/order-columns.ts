import { type Expression, sql } from 'kysely';
import type { Orm } from '../tables/orm.ts';
import { columnsOf } from '../sql/columns.ts';
import { EXTENSION_COLUMNS, OrderEntity } from '../tables/order-entity.ts';
import type { OrderShape } from './order-shape.ts';

/**
 * Returns the columns of an order that is read as `o`: all of its entity except `element_count`, which follows from the
 * others, and those that its definition does not use.
 */
export function orderColumns(orm: Orm, { isExtended }: OrderShape): Expression<unknown> {
  const columns = columnsOf(orm, OrderEntity).filter(
    ({ name }) => name !== 'element_count' && (isExtended || !EXTENSION_COLUMNS.includes(name)),
  );
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}
