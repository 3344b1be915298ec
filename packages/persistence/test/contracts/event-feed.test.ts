import { checkpointsContract, eventFeedContract, type FeedServer } from '@orders/domain/testing';
import {
  type Database,
  openDatabase,
  postgresCheckpoints,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  purge,
} from '@orders/persistence';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
let another: Database;

beforeAll(() => {
  another = openDatabase({ url: database.url, preparedStatements: inject('preparedStatements') });
});
afterAll(() => another.close());

const serverOn = (opened: Database): FeedServer => ({
  orders: postgresOrderRepository(opened),
  customers: postgresCustomerRepository(opened),
  events: (owner) => recordedEvents(opened, owner),
  feed: postgresEventFeed(opened),
});

eventFeedContract({ describe, it }, () => ({
  ...serverOn(database.current),
  openAnother: () => serverOn(another),
  purge: async (cutoff) => {
    const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
    await purge(database.current)({ now: new Date().toISOString(), eventsBefore });
  },
}));

checkpointsContract({ describe, it }, () => postgresCheckpoints(database.current));
