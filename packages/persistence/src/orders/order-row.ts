import {
  type LineItem,
  type Metadata,
  NO_DETAILS,
  type Order,
  type OrderDetails,
  type OrderStatus,
} from '@orders/domain';
import type { StoredItem } from './order-entity.ts';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../shared/statement.ts';
import { toTimestamp, toTimestampOrNull } from '../shared/timestamp-type.ts';

/**
 * A row of orders as the driver returns it: `bigint` and `timestamptz` as PostgreSQL's text, items as one JSON value.
 */
export interface OrderRow extends OrderDetails {
  readonly id: string;
  readonly status: OrderStatus;
  readonly currency: string;
  readonly total_amount: string;
  readonly metadata: Metadata;
  readonly cancel_reason: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly paid_at: string | null;
  readonly shipped_at: string | null;
  readonly delivered_at: string | null;
  readonly cancelled_at: string | null;
  readonly items: readonly StoredItem[];
}

/** Parses a row. The members have the order of a new order, so that both serialize to the same text. */
export function toOrder(row: OrderRow): Order {
  const { currency } = row;
  return {
    id: row.id,
    status: row.status,
    customer_id: row.customer_id,
    reference: row.reference,
    note: row.note,
    items: row.items.map((item) => toLineItem(item, currency)),
    metadata: row.metadata,
    total: { amount: Number(row.total_amount), currency },
    cancel_reason: row.cancel_reason,
    version: row.version,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    paid_at: toTimestampOrNull(row.paid_at),
    shipped_at: toTimestampOrNull(row.shipped_at),
    delivered_at: toTimestampOrNull(row.delivered_at),
    cancelled_at: toTimestampOrNull(row.cancelled_at),
  };
}

function toLineItem(item: StoredItem, currency: string): LineItem {
  const { id, sku, name, quantity, unit_amount, total_amount } = item;
  return {
    id,
    sku,
    name,
    quantity,
    unit_price: { amount: unit_amount, currency },
    total: { amount: total_amount, currency },
  };
}

/** Returns the members of an order that no update changes. No statement writes their columns again. */
export function fixedOrderMembers({ id, items, total, created_at }: Order): Partial<Order> {
  return { id, items, total, created_at };
}

/** Returns the order with its ids in lower case, as PostgreSQL returns them; the same object when they are already. */
export function withLowerIds(order: Order): Order {
  const { id, customer_id, items } = order;
  if (isLower(id) && (customer_id === null || isLower(customer_id)) && items.every((item) => isLower(item.id))) {
    return order;
  }
  return {
    ...order,
    id: id.toLowerCase(),
    customer_id: customer_id?.toLowerCase() ?? null,
    items: items.map((item) => ({ ...item, id: item.id.toLowerCase() })),
  };
}

function isLower(id: string): boolean {
  return id === id.toLowerCase();
}

/** Returns the columns that an update writes. */
export function orderValues(order: Order): ColumnValues {
  const { items: _, total: __, metadata, ...columns } = order;
  return { ...columns, metadata: jsonText(metadata) };
}

/**
 * Returns the members of an order that its snapshots have. Its items never change, so they are stored once; `null` holds
 * their place among the members.
 */
export function toOrderSnapshot(order: Order): object {
  return { ...order, items: null };
}

/**
 * Returns the order of a snapshot; `null` when its items were purged. A snapshot of release 0.1.0 contains its items, but
 * may lack details that were added since, which default to null.
 */
export function restoreOrder(snapshot: object, items: readonly StoredItem[] | null): Order | null {
  if (!isOrderSnapshot(snapshot)) throw new Error('the snapshot of an order contains no order');
  if (snapshot.items) return { ...snapshot, ...NO_DETAILS, ...snapshot, items: snapshot.items };
  if (!items) return null;
  const { currency } = snapshot.total;
  return { ...snapshot, items: items.map((item) => toLineItem(item, currency)) };
}

function isOrderSnapshot(snapshot: object): snapshot is Omit<Order, 'items'> & { items: Order['items'] | null } {
  return 'items' in snapshot && 'total' in snapshot;
}

/** Returns all columns of a new order. */
export function newOrderValues(order: Order): ColumnValues {
  const { items, total } = order;
  return {
    ...orderValues(order),
    currency: total.currency,
    total_amount: total.amount,
    item_count: items.length,
    items: jsonText(items.map(toStoredItem)),
  };
}

function toStoredItem({ id, sku, name, quantity, unit_price, total }: LineItem): StoredItem {
  return { id, sku, name, quantity, unit_amount: unit_price.amount, total_amount: total.amount };
}
