import { type Clock, createDomain, type Domain, type OrderRepository } from '@orders/domain';
import { fixedClock, inMemoryOrderRepository, sequentialIds } from '@orders/domain/testing';

/** A domain in memory. */
export function aDomain(clock: Clock = fixedClock(), orders: OrderRepository = inMemoryOrderRepository()): Domain {
  return createDomain({ orders, clock, ids: sequentialIds() });
}

/** A domain over a repository in memory, but for what `other` does. */
export function aDomainOver(other: Partial<OrderRepository>): { readonly domain: Domain } {
  return { domain: aDomain(fixedClock(), { ...inMemoryOrderRepository(), ...other }) };
}

/** A domain whose every question about one order fails in a way that nobody foresaw. */
export function aThrowingStore(thrown: unknown): { readonly domain: Domain } {
  return aDomainOver({
    find: () => {
      throw thrown;
    },
  });
}

/** A domain in which every owner has every customer. */
export function aDomainWithCustomers(): { readonly domain: Domain } {
  return {
    domain: aDomain(
      fixedClock(),
      inMemoryOrderRepository(() => true),
    ),
  };
}
