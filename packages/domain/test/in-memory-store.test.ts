import {
  customerRepositoryContract,
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
} from '@orders/domain/testing';
import { describe, it } from 'vitest';

const open: OpenSubject = () => {
  const { orders, customers, events } = inMemoryStore();
  return {
    orders,
    customers,
    events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)),
  };
};

orderRepositoryContract({ describe, it }, open);
customerRepositoryContract({ describe, it }, open);
