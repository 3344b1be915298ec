import type { Owner } from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import {
  type IdempotencyStatements,
  idempotencyStatements,
  type RecordedWrite,
} from '../writes/idempotency-statements.ts';
import { columnsOf } from '../sql/columns.ts';
import { EXTENSION_COLUMNS, OrderEntity, type StoredParts } from '../tables/order-entity.ts';
import type { Orm } from '../tables/orm.ts';
import { EXTENDED_ORDER_TABLE, ORDER_TABLE } from './order-kind.ts';
import { partsIn } from './order-parts.ts';
import type { OrderRow } from './order-row.ts';
import type { OrderShape } from './order-shape.ts';

/** The record of a write of an order, with the parts of the order. */
export interface RecordedOrder extends RecordedWrite {
  readonly parts: StoredParts | null;
}

/**
 * Returns the columns of an order that is read as `o`: all of its entity except `element_count`, which follows from the
 * others, and those that its definition does not use.
 */
export function orderColumns({ isExtended }: OrderShape): Sql {
  const columns = columnsOf(OrderEntity).filter(
    ({ name }) => name !== 'element_count' && (isExtended || !EXTENSION_COLUMNS.includes(name)),
  );
  return sql.join(columns.map(({ name }) => sql.ref(`o.${name}`)));
}

/** Returns the statements on single orders, each built once. Every subquery of a statement filters by owner. */
export function orderStatements(orm: Orm, shape: OrderShape) {
  const table = shape.isExtended ? EXTENDED_ORDER_TABLE : ORDER_TABLE;
  return aggregateStatements<OrderRow, RecordedOrder>(orm, table, orderColumns(shape), recordedOrders(orm));
}

/**
 * Returns the statements on the keys of orders. Retries after a deletion are rare, and PostgreSQL prepares every subquery
 * of a statement at each execution, also one that it never runs. So the record of the deletion is read only when the order
 * is missing, by a statement that reads everything again: the purge may have deleted the key meanwhile.
 */
function recordedOrders(orm: Orm): IdempotencyStatements<RecordedOrder> {
  const existing = idempotencyStatements<RecordedOrder>(
    orm,
    (owner) => sql`${partsOfExisting(owner, RECORDED_ID)} as parts`,
  );
  const deleted = idempotencyStatements<RecordedOrder>(
    orm,
    (owner) => sql`${selectParts(owner, RECORDED_ID)} as parts`,
  );
  return {
    ...existing,
    find: async (executor, values) => {
      const rows = await existing.find(executor, values);
      return rows.some(isMissing) ? await deleted.find(executor, values) : rows;
    },
    findAll: async (executor, values) => (await existing.findAll(executor, values)).filter((row) => !isMissing(row)),
  };
}

/** Whether a version lacks its parts, because they are on the record of the deletion. */
function isMissing({ snapshot, parts }: RecordedOrder): boolean {
  return snapshot !== null && parts === null;
}

/** The id of the order that a key's record refers to. */
const RECORDED_ID = sql`k.aggregate_id`;

/** Selects the parts of the order `id`: from its row, or from the record of its deletion, which is its last version. */
export function selectParts(owner: Sql<Owner>, id: Sql): Sql {
  return sql`coalesce(
    ${partsOfExisting(owner, id)},
    (select ${sql.raw(partsIn('d'))} from our.changes as d
      where d.owner_id = ${owner} and d.aggregate = 'order' and d.aggregate_id = ${id}
      order by d.version desc limit 1)
  )`;
}

/** Selects the parts of the order `id` from its row; null for a deleted order. */
function partsOfExisting(owner: Sql<Owner>, id: Sql): Sql {
  return sql`(select ${sql.raw(partsIn('o'))} from our.orders as o where o.owner_id = ${owner} and o.id = ${id})`;
}
