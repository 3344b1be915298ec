import { entity } from './entity.ts';

/** One of the lookups of an order. */
export const OrderLookupEntity = entity({
  name: 'OrderLookup',
  tableName: 'order_lookups',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    name: p.text().collation('C').primary(),
    value: p.text().collation('C').primary(),
    /** Of the order. */
    created_at: p.timestamp().primary(),
    order_id: p.uuid().primary(),
  }),
});
