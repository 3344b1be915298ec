import { defineEntity, p } from '@mikro-orm/postgresql';

/** One line item of an order, in the currency of the order. */
export const OrderItemEntity = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    owner_id: p.text().collation('C').primary(),
    order_id: p.uuid().primary(),
    /** The position of the line item in the request, from 0. */
    line: p.integer().primary(),
    id: p.uuid(),
    sku: p.text(),
    name: p.text(),
    quantity: p.integer(),
    unit_amount: p.bigint('number'),
    total_amount: p.bigint('number'),
  },
});
