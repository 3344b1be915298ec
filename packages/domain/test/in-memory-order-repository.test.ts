import { describe, it } from 'vitest';
import { inMemoryOrderRepository, orderRepositoryContract, sequentialIds } from '@orders/domain/testing';

const customers = new Set<string>();
const ids = sequentialIds(0xc);

orderRepositoryContract({ describe, it }, () => {
  const orders = inMemoryOrderRepository((owner, id) => customers.has(`${owner} ${id}`));
  return {
    orders,
    addCustomer: (owner) => {
      const id = ids.next();
      customers.add(`${owner} ${id}`);
      return Promise.resolve(id);
    },
    events: (owner) => Promise.resolve(orders.events().filter((event) => event.owner === owner)),
  };
});
