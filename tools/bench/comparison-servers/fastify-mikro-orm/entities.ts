import { defineEntity, p } from '@mikro-orm/postgresql';

/** An order. */
export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    owner_id: p.text().primary(),
    id: p.uuid().primary(),
    status: p.text(),
    customer_id: p.uuid().nullable(),
    reference: p.text().nullable(),
    currency: p.text(),
    total_amount: p.bigint('number'),
    item_count: p.integer(),
    note: p.text().nullable(),
    metadata: p.json<unknown>(),
    cancel_reason: p.text().nullable(),
    version: p.integer().version(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    paid_at: p.datetime(3).nullable(),
    shipped_at: p.datetime(3).nullable(),
    delivered_at: p.datetime(3).nullable(),
    cancelled_at: p.datetime(3).nullable(),
    items: () => p.oneToMany(OrderItem).mappedBy('order').orderBy({ line: 'asc' }),
  },
});

/** An item of an order. */
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

/** The response that a key recorded. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    owner_id: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    aggregate_id: p.uuid(),
    snapshot: p.json<object>(),
    created_at: p.datetime(3),
    expires_at: p.datetime(3),
  },
});

/** An event that is not published yet. */
export const Outbox = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    owner_id: p.text().primary(),
    id: p.uuid().primary(),
    type: p.text(),
    aggregate_id: p.uuid(),
    version: p.integer(),
    changed: p.json<readonly string[]>(),
    occurred_at: p.datetime(3),
  },
});

/** An API key. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    key_hash: p.text().primary(),
    owner_id: p.text(),
    expires_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
  },
});
