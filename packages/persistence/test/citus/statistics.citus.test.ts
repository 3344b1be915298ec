import { orderStatisticsContract } from '@orders/domain/testing';
import { countStatistics, rebuildStatistics } from '@orders/persistence';
import { describe, it } from 'vitest';
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
});
