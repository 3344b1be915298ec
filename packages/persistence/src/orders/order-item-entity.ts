import { defineEntity, p } from '@mikro-orm/postgresql';

/** One line of an order. Its currency is the order's. */
export const OrderItemEntity = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    owner_id: p.text().collation('C').primary(),
    order_id: p.uuid().primary(),
    /** From 0, in the order the lines were sent in. */
    line: p.integer().primary(),
    id: p.uuid(),
    sku: p.text(),
    name: p.text(),
    quantity: p.integer(),
    unit_amount: p.bigint('number'),
    total_amount: p.bigint('number'),
  },
});
