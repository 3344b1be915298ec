import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { PresentedOrder } from '../shared/order.ts';

const time = () => p.datetime(3).columnType('timestamptz(3)');

export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    owner_id: p.text().primary(),
    id: p.uuid().primary(),
    status: p.text(),
    customer_id: p.uuid().strictNullable(),
    reference: p.text().strictNullable(),
    currency: p.text(),
    total_amount: p.bigint('number'),
    item_count: p.integer(),
    note: p.text().strictNullable(),
    metadata: p.json<unknown>().columnType('json'),
    cancel_reason: p.text().strictNullable(),
    version: p.integer().concurrencyCheck(),
    created_at: time(),
    updated_at: time(),
    paid_at: time().strictNullable(),
    shipped_at: time().strictNullable(),
    delivered_at: time().strictNullable(),
    cancelled_at: time().strictNullable(),
    items: () => p.oneToMany(OrderItem).mappedBy('order').orderBy({ line: 'asc' }),
  },
});

export const OrderItem = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    order: () => p.manyToOne(Order).primary().joinColumns('owner_id', 'order_id'),
    line: p.integer().primary(),
    id: p.uuid(),
    sku: p.text(),
    name: p.text(),
    quantity: p.integer(),
    unit_amount: p.bigint('number'),
    total_amount: p.bigint('number'),
  },
});

export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    owner_id: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    aggregate_id: p.uuid(),
    snapshot: p.json<PresentedOrder>().columnType('json'),
    created_at: time(),
    expires_at: time(),
  },
});

export const Outbox = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    owner_id: p.text().primary(),
    id: p.uuid().primary(),
    type: p.text(),
    aggregate_id: p.uuid(),
    version: p.integer(),
    changed: p.json<readonly string[]>().columnType('json'),
    occurred_at: time(),
  },
});

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    key_hash: p.text().primary(),
    owner_id: p.text(),
    expires_at: time().strictNullable(),
    revoked_at: time().strictNullable(),
  },
});

export type OrderEntity = InferEntity<typeof Order>;
