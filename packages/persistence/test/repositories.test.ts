import { customerRepositoryContract, type OpenSubject, orderRepositoryContract } from '@orders/domain/testing';
import { postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { describe, it } from 'vitest';
import { recordedEvents } from './recorded-events.ts';
import { testDatabase } from './test-database.ts';

const database = testDatabase();

const open: OpenSubject = () => ({
  orders: postgresOrderRepository(database.current),
  customers: postgresCustomerRepository(database.current),
  events: (owner) => recordedEvents(database.current, owner),
});

orderRepositoryContract({ describe, it }, open);
customerRepositoryContract({ describe, it }, open);
