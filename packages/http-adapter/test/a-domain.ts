import { type Clock, createDomain, type Domain, type OrderRepository } from '@orders/domain';
import {
  aCustomer,
  anEventOfCustomer,
  fixedClock,
  type InMemoryStore,
  inMemoryStore,
  sequentialIds,
} from '@orders/domain/testing';

/** A customer of the owner `acme` in {@link aDomainWithCustomer}. */
export const CUSTOMER_ID = 'a19b0000-0000-7000-8000-00000000000c';

/** A domain in memory. */
export function aDomain(clock: Clock = fixedClock(), { orders, customers }: Stores = inMemoryStore()): Domain {
  return createDomain({ orders, customers, clock, ids: sequentialIds() });
}

type Stores = Pick<InMemoryStore, 'orders' | 'customers'>;

/** A domain over a repository in memory, but for what `other` does. */
export function aDomainOver(other: Partial<OrderRepository>): { readonly domain: Domain } {
  const { orders, customers } = inMemoryStore();
  return { domain: aDomain(fixedClock(), { orders: { ...orders, ...other }, customers }) };
}

/** A domain whose every question about one order fails in a way that nobody foresaw. */
export function aThrowingStore(thrown: unknown): { readonly domain: Domain } {
  return aDomainOver({
    find: () => {
      throw thrown;
    },
  });
}

/** A domain in which `acme` has one customer. */
export async function aDomainWithCustomer(): Promise<{ readonly domain: Domain }> {
  const store = inMemoryStore();
  const customer = aCustomer({ id: CUSTOMER_ID });
  await store.customers.insert('acme', { customer, event: anEventOfCustomer('acme', customer) });
  return { domain: aDomain(fixedClock(), store) };
}
