import { orderStatisticsContract } from '@orders/domain/testing';
import { countStatistics, openDatabase, type Database, rebuildStatistics } from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { countAll } from './count-all.ts';

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
});
afterAll(() => another.close());

describe('counted events', () => {
  orderStatisticsContract({ describe, it }, () => ({
    ...contractSubject(database.current, another),
    count: async (owner) => {
      if ((await countAll(countStatistics(another), owner)) > 0) throw new Error('orders were counted again');
    },
  }));
});

describe('orders that are counted again', () => {
  orderStatisticsContract({ describe, it }, () => ({
    ...contractSubject(database.current, another),
    count: async (owner) => {
      // What has no position yet is counted later.
      await rebuildStatistics(another, owner);
      await countAll(countStatistics(another), owner);
    },
  }));
});
