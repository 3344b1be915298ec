import {
  customerRepositoryContract,
  type OpenWebhookEndpointSubject,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
} from '@orders/domain/testing';
import {
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  postgresWebhookEndpoints,
} from '@orders/persistence';
import { describe, it } from 'vitest';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

const open: OpenWebhookEndpointSubject = () => ({
  orders: postgresOrderRepository(database.current),
  customers: postgresCustomerRepository(database.current),
  webhookEndpoints: postgresWebhookEndpoints(database.current),
  feed: postgresEventFeed(database.current),
  events: (owner) => recordedEvents(database.current, owner),
});

orderRepositoryContract({ describe, it }, open);
customerRepositoryContract({ describe, it }, open);
webhookEndpointRepositoryContract({ describe, it }, open);
