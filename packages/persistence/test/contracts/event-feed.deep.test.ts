import { eventFeedBacklogContract } from '@orders/domain/testing';
import { postgresCustomerRepository, postgresEventFeed, postgresOrderRepository, purge } from '@orders/persistence';
import { describe, it } from 'vitest';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

eventFeedBacklogContract({ describe, it }, () => ({
  orders: postgresOrderRepository(database.current),
  customers: postgresCustomerRepository(database.current),
  events: (owner) => recordedEvents(database.current, owner),
  feed: postgresEventFeed(database.current),
  purge: async (cutoff) => {
    await purge(database.current)({ now: new Date().toISOString(), eventsBefore: cutoff });
  },
}));
