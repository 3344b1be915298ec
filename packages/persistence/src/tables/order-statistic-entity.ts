import { defineEntity, p } from '@mikro-orm/postgresql';

/** The orders of one currency that were placed, or entered a status, within a quarter of an hour. */
export const OrderStatisticEntity = defineEntity({
  name: 'OrderStatistic',
  tableName: 'order_statistics',
  properties: {
    owner_id: p.text().collation('C').primary(),
    /** Quarters of an hour since the Unix epoch. */
    quarter: p.integer().primary(),
    status: p.text().collation('C').primary(),
    currency: p.text().collation('C').primary(),
    orders: p.bigint('number'),
    /** The sum of their current totals. */
    total: p.decimal('string').columnType('numeric'),
  },
});
