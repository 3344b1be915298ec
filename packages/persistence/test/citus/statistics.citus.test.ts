import { createDomain } from '@orders/domain/runtime';
import { orderStatisticsContract } from '@orders/domain/testing';
import { countStatistics, type Database, postgresStore, rebuildStatistics } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { countAll } from '../statistics/count-all.ts';
import { distributedDatabase } from './distributed-database.ts';

const citus = distributedDatabase();

describe('figures on distributed tables', () => {
  orderStatisticsContract({ describe, it }, () => ({
    ...contractSubject(citus.watched, citus.database),
    count: async (owner) => {
      if ((await countAll(countStatistics(citus.watched), owner)) > 0) throw new Error('orders were counted again');
      await rebuildStatistics(citus.database, owner);
    },
  }));

  it('no figures of one owner are committed in two phases', async () => {
    const owner = 'one node';
    const domain = createDomain(postgresStore(citus.database));
    const item = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
    const { order } = (await domain.placeOrder(owner, { items: [item] }))._unsafeUnwrap();
    (await domain.cancelOrder(owner, order.id))._unsafeUnwrap();
    const count = async (own: Database) => expect(await countAll(countStatistics(own), owner)).toBe(0);
    expect(await citus.countTwoPhaseCommits(count)).toBe(0);
    expect(await citus.countTwoPhaseCommits((own) => rebuildStatistics(own, owner))).toBe(0);
  });
});
