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

/** The record of a write of an order, with the columns of its row. */
type JoinedOrder = RecordedWrite & { readonly [Name in keyof StoredParts]: StoredParts[Name] | null };

/**
 * Returns the statements on the keys of orders. Retries after a deletion are rare, and PostgreSQL prepares every subquery
 * of a statement at each execution, also one that it never runs. So the record of the deletion is read only when the order
 * is missing, by a statement that reads everything again: the purge may have deleted the key meanwhile. The others are
 * joined, because a subquery that makes one JSON value of them takes a sixth of the lookup.
 */
function recordedOrders(orm: Orm): IdempotencyStatements<RecordedOrder> {
  const existing = idempotencyStatements<JoinedOrder>(orm, {
    columns: () => sql`o.items, o.adjustments, o.fulfillments`,
    join: (owner) => sql`left join our.orders as o on o.owner_id = ${owner} and o.id = k.aggregate_id`,
  });
  const deleted = idempotencyStatements<RecordedOrder>(orm, {
    columns: (owner) => sql`${selectParts(owner, sql`k.aggregate_id`)} as parts`,
  });
  return {
    ...existing,
    find: async (executor, values) => {
      const rows = (await existing.find(executor, values)).map(toRecorded);
      return rows.some(isMissing) ? await deleted.find(executor, values) : rows;
    },
    findAll: async (executor, values) => {
      const rows = (await existing.findAll(executor, values)).map(toRecorded);
      return rows.filter((row) => !isMissing(row));
    },
  };
}

function toRecorded({ items, adjustments, fulfillments, ...record }: JoinedOrder): RecordedOrder {
  return { ...record, parts: items && { items, adjustments, fulfillments } };
}

/** Whether a version lacks its parts, because they are on the record of the deletion. */
function isMissing({ snapshot, parts }: RecordedOrder): boolean {
  return snapshot !== null && parts === null;
}

/** Selects the parts of the order `id`: from its row, or from the record of its deletion, which is its last version. */
export function selectParts(owner: Sql<Owner>, id: Sql): Sql {
  return sql`coalesce(
    (select ${sql.raw(partsIn('o'))} from our.orders as o where o.owner_id = ${owner} and o.id = ${id}),
    (select ${sql.raw(partsIn('d'))} from our.changes as d
      where d.owner_id = ${owner} and d.aggregate = 'order' and d.aggregate_id = ${id}
      order by d.version desc limit 1)
  )`;
}
