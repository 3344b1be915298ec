import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Metadata, OrderStatus } from '@orders/domain';
import { TimestampType } from '../shared/timestamp-type.ts';

/** An item as it is stored. Its currency is the order's. */
export interface StoredItem {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_amount: number;
  readonly total_amount: number;
}

/** An order with its items, which are one JSON value. */
export const OrderEntity = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    status: p.text().$type<OrderStatus>(),
    customer_id: p.uuid().nullable(),
    reference: p.text().nullable(),
    currency: p.text(),
    total_amount: p.bigint('number'),
    item_count: p.integer(),
    note: p.text().nullable(),
    metadata: p.json<Metadata>().columnType('json'),
    items: p.json<readonly StoredItem[]>().columnType('json'),
    cancel_reason: p.text().nullable(),
    version: p.integer(),
    created_at: p.type(TimestampType),
    updated_at: p.type(TimestampType),
    paid_at: p.type(TimestampType).nullable(),
    shipped_at: p.type(TimestampType).nullable(),
    delivered_at: p.type(TimestampType).nullable(),
    cancelled_at: p.type(TimestampType).nullable(),
  },
  indexes: [
    { name: 'orders_created_index', properties: ['owner_id', 'created_at', 'id'] },
    { name: 'orders_updated_index', properties: ['owner_id', 'updated_at', 'id'] },
    {
      name: 'orders_reference_unique',
      expression: 'create unique index "orders_reference_unique" on "orders" ("owner_id", "reference" collate "C")',
    },
    {
      name: 'orders_status_created_index',
      expression:
        'create index "orders_status_created_index" on "orders" ("owner_id", "status" collate "C", "created_at", "id")',
    },
    {
      name: 'orders_status_updated_index',
      expression:
        'create index "orders_status_updated_index" on "orders" ("owner_id", "status" collate "C", "updated_at", "id")',
    },
    { name: 'orders_customer_created_index', properties: ['owner_id', 'customer_id', 'created_at', 'id'] },
    { name: 'orders_customer_updated_index', properties: ['owner_id', 'customer_id', 'updated_at', 'id'] },
  ],
});
