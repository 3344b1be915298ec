import type { Owner } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import { aggregateStatements } from '../writes/aggregate-statements.ts';
import {
  type IdempotencyStatements,
  idempotencyStatements,
  type RecordedWrite,
} from '../writes/idempotency-statements.ts';
import type { Orm } from '../tables/orm.ts';
import { prepare } from '../sql/statement.ts';
import type { AggregateTable } from '../writes/write-functions.ts';
import { orderColumns } from './order-columns.ts';
import { EXTENSION_COLUMNS, OrderEntity } from '../tables/order-entity.ts';
import { partsIn, type StoredParts } from './order-parts.ts';
import type { OrderRow } from './order-row.ts';
import type { OrderShape } from './order-shape.ts';

/** The table of orders, for writes of orders that have custom data, or times of statuses without a column. */
export const EXTENDED_ORDER_TABLE: AggregateTable = {
  aggregate: 'order',
  table: 'orders',
  entity: OrderEntity,
  fixed: ['currency', 'items', 'created_at'],
  kept: ['adjustments', 'fulfillments'],
  moved: ['items', 'adjustments', 'fulfillments'],
  unique: 'reference',
  erases: false,
  erasure: 'keeps what is not personal',
  newCustomer: 'new_customer_id',
};

/** The table of orders, for writes of orders that leave the further columns as they are, as those of the default definition. */
export const ORDER_TABLE: AggregateTable = { ...EXTENDED_ORDER_TABLE, untouched: EXTENSION_COLUMNS };

/** The record of a write of an order, with the parts of the order. */
export interface RecordedOrder extends RecordedWrite {
  readonly parts: StoredParts | null;
}

/** Returns every statement on orders except lists, each built once. Every subquery of a statement filters by owner. */
export function orderStatements(orm: Orm, shape: OrderShape) {
  const table = shape.isExtended ? EXTENDED_ORDER_TABLE : ORDER_TABLE;
  return {
    ...aggregateStatements<OrderRow, RecordedOrder>(orm, table, orderColumns(shape), recordedOrders(orm)),

    holderOfReference: prepare<{ order: { owner_id: Owner; reference: string | null } }, { id: string }>(
      orm,
      (p) => sql`select id from our.orders
        where owner_id = ${p('order', 'owner_id')} and reference = ${p('order', 'reference')} collate "C"`,
    ),

    /** Selects the customer that an order refers to, if it exists. */
    customer: prepare<{ order: { owner_id: Owner; customer_id: string } }, { erased_at: string | null }>(
      orm,
      (p) => sql<{ erased_at: string | null }>`
        select erased_at from our.customers where owner_id = ${p('order', 'owner_id')} and id = ${p('order', 'customer_id')}`,
    ),
  };
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
export function selectParts(owner: Expression<Owner>, id: Expression<unknown>): Expression<unknown> {
  return sql`coalesce(
    ${partsOfExisting(owner, id)},
    (select ${sql.raw(partsIn('d'))} from our.changes as d
      where d.owner_id = ${owner} and d.aggregate = 'order' and d.aggregate_id = ${id}
      order by d.version desc limit 1)
  )`;
}

/** Selects the parts of the order `id` from its row; null for a deleted order. */
function partsOfExisting(owner: Expression<Owner>, id: Expression<unknown>): Expression<unknown> {
  return sql`(select ${sql.raw(partsIn('o'))} from our.orders as o where o.owner_id = ${owner} and o.id = ${id})`;
}
