import type {
  Address,
  AdjustmentType,
  Buyer,
  ExternalIds,
  ItemQuantity,
  Metadata,
  Timestamp,
  Tracking,
} from '@orders/domain';
import { entity } from './entity.ts';

/** An item as it is stored, without what may change. Its currency is the order's. */
export interface StoredItem {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_amount: number;
  /** Absent without any. */
  readonly metadata?: Metadata;
}

/** The quantities of an item that are fulfilled, cancelled and returned; 0 if all of them are. */
export type StoredQuantities = readonly [fulfilled: number, cancelled: number, returned: number] | 0;

/** An adjustment as it is stored. Its currency is the order's; an absent item is none, and it is not included. */
export interface StoredAdjustment {
  readonly id: string;
  readonly type: AdjustmentType;
  readonly name: string;
  readonly amount: number;
  readonly created_at: Timestamp;
  readonly item_id?: string;
  readonly included?: true;
}

/** A fulfillment as it is stored. What is absent is null. */
export interface StoredFulfillment {
  readonly id: string;
  readonly created_at: Timestamp;
  readonly items: readonly ItemQuantity[];
  readonly tracking?: Tracking;
  /** Earlier versions of the order show it as it was before. */
  readonly cancelled?: readonly [at: Timestamp, version: number];
}

/** The parts of an order that are stored once for all of its versions. */
export interface StoredParts {
  readonly items: readonly StoredItem[];
  /** `null` without any, as the fulfillments. */
  readonly adjustments: readonly StoredAdjustment[] | null;
  readonly fulfillments: readonly StoredFulfillment[] | null;
}

/** The columns for times of statuses. The times of other statuses are in `status_times`. */
export const TIME_COLUMNS = ['paid_at', 'shipped_at', 'delivered_at', 'cancelled_at'] as const;
/** One of {@link TIME_COLUMNS}. */
export type TimeColumn = (typeof TIME_COLUMNS)[number];

/** The columns that orders of the default definition leave empty. Its statements do not contain them. */
export const EXTENSION_COLUMNS = ['custom', 'status_times'];

/** An order with its items, adjustments and fulfillments, each of which is one JSON value. */
export const OrderEntity = entity({
  name: 'Order',
  tableName: 'orders',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    status: p.text(),
    customer_id: p.uuid().nullable(),
    reference: p.text().nullable(),
    currency: p.text(),
    total_amount: p.bigint('number'),
    element_count: p.integer(),
    external_ids: p.json<ExternalIds>().columnType('json').nullable(),
    buyer: p.json<Buyer>().columnType('json').nullable(),
    shipping_address: p.json<Address>().columnType('json').nullable(),
    billing_address: p.json<Address>().columnType('json').nullable(),
    note: p.text().nullable(),
    metadata: p.json<Metadata>().columnType('json'),
    cancel_reason: p.text().nullable(),
    version: p.integer(),
    created_at: p.timestamp(),
    updated_at: p.timestamp(),
    paid_at: p.timestamp().nullable(),
    shipped_at: p.timestamp().nullable(),
    delivered_at: p.timestamp().nullable(),
    cancelled_at: p.timestamp().nullable(),
    corrected_at: p.timestamp().nullable(),
    erased_at: p.timestamp().nullable(),
    items: p.json<readonly StoredItem[]>().columnType('json'),
    quantities: p.json<readonly StoredQuantities[]>().columnType('json').nullable(),
    adjustments: p.json<readonly StoredAdjustment[]>().columnType('json').nullable(),
    fulfillments: p.json<readonly StoredFulfillment[]>().columnType('json').nullable(),
    custom: p.json<unknown>().columnType('json').nullable(),
    /** The times of statuses that have no column, by status. */
    status_times: p.json<Readonly<Record<string, Timestamp>>>().columnType('json').nullable(),
  }),
});
