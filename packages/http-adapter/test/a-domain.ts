import { type Clock, createDomain, type Domain, type OrderRepository, type Ports } from '@orders/domain';
import { aCustomer, anEventOfCustomer, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';

/** Id of the customer of `acme` in {@link aDomainWithCustomer}. */
export const CUSTOMER_ID = 'a19b0000-0000-7000-8000-00000000000c';

/** Creates a domain on an in-memory store. */
export function aDomain(clock: Clock = fixedClock(), { orders, customers }: Stores = inMemoryStore()): Domain {
  return createDomain({ orders, customers, clock, ids: sequentialIds() });
}

type Stores = Pick<Ports, 'orders' | 'customers'>;

/** Creates a domain on an in-memory store whose order repository has the methods of `other`. */
export function aDomainOver(other: Partial<OrderRepository>): { readonly domain: Domain } {
  const { orders, customers } = inMemoryStore();
  return { domain: aDomain(fixedClock(), { orders: { ...orders, ...other }, customers }) };
}

/** Creates a domain whose lookup of an order throws `thrown`. */
export function aThrowingStore(thrown: unknown): { readonly domain: Domain } {
  return aDomainOver({
    load: () => {
      throw thrown;
    },
  });
}

/** Creates a domain in which `acme` has one customer. */
export async function aDomainWithCustomer(): Promise<{ readonly domain: Domain }> {
  const store = inMemoryStore();
  const customer = aCustomer({ id: CUSTOMER_ID });
  const event = anEventOfCustomer('acme', customer);
  await store.customers.commit('acme', { kind: 'create', after: customer, event, key: undefined });
  return { domain: aDomain(fixedClock(), store) };
}
