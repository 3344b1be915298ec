import { type Expression, sql } from 'kysely';
import { columnsOf } from '../sql/columns.ts';
import { EXTENSION_COLUMNS, OrderEntity } from '../tables/order-entity.ts';
import type { OrderShape } from './order-shape.ts';

/**
 * Returns the columns of an order that is read as `o`: all of its entity except `element_count`, which follows from the
 * others, and those that its definition does not use.
 */
export function orderColumns({ isExtended }: OrderShape): Expression<unknown> {
  const columns = columnsOf(OrderEntity).filter(
    ({ name }) => name !== 'element_count' && (isExtended || !EXTENSION_COLUMNS.includes(name)),
  );
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}
