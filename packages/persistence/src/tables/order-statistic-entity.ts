import { entity } from './entity.ts';

/** The orders of one currency that were placed, or entered a status, within a quarter of an hour, an hour and a day of UTC. */
export const OrderStatisticEntity = entity({
  name: 'OrderStatistic',
  tableName: 'order_statistics',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    /** Of the figures of an owner, which are counted again as another one. */
    revision: p.bigint('number').primary(),
    /** The length of the time in quarters of an hour: 1, 4 or 96. */
    width: p.smallint().primary(),
    /** The begin of the time, in quarters of an hour since the Unix epoch. */
    quarter: p.integer().primary(),
    status: p.text().collation('C').primary(),
    currency: p.text().collation('C').primary(),
    orders: p.bigint('number'),
    /** The sum of their current totals. */
    total: p.decimal('string').columnType('numeric'),
  }),
});
