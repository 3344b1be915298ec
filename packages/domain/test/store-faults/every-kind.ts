import type { AggregateStore, DomainEvent, Owner, Page, PageQuery, Unavailable } from '@orders/domain';
import {
  customerRepositoryContract,
  inMemoryStore,
  orderRepositoryContract,
  type StoreSubject,
  webhookEndpointRepositoryContract,
  type WebhookEndpointSubject,
} from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { itCatches, itCatchesFaults } from '../contract-faults.ts';

type Events = StoreSubject['events'];

interface Aggregate {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A store of any kind of aggregate, with its list. */
interface ListedStore<A, E, Refused, Query> extends AggregateStore<A, E, Refused> {
  list(owner: Owner, query: Query): ResultAsync<Page<A, string>, Unavailable>;
}

/**
 * A fault of a store of any kind of aggregate: what it does wrong, and the methods that it replaces in a correct store.
 * The title of a contract test that must fail comes last, and possibly its message.
 */
export type StoreFault = readonly [
  does: string,
  inject: <A extends Aggregate, E extends DomainEvent<string>, Refused, Query extends PageQuery>(
    store: ListedStore<A, E, Refused, Query>,
    events: Events,
  ) => Partial<ListedStore<A, E, Refused, Query>> & { readonly events?: Events },
  detectedBy: RegExp,
  message?: RegExp,
];

/** Creates an empty in-memory store with webhook endpoints. */
export function aStoreOfEndpoints(): WebhookEndpointSubject {
  const { events, ...store } = inMemoryStore();
  return { ...store, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

/** Registers a test for each fault, in the contract of each kind of aggregate. */
export function itCatchesInEveryKind(faults: readonly StoreFault[]): void {
  describe('of orders', () => {
    itCatches(
      orderRepositoryContract,
      faults.map(([does, inject, ...detection]) => [
        does,
        (correct) => {
          const { events, ...orders } = inject(correct.orders, (owner) => correct.events(owner));
          return { orders, ...(events && { events }) };
        },
        ...detection,
      ]),
    );
  });
  describe('of customers', () => {
    itCatches(
      customerRepositoryContract,
      faults.map(([does, inject, ...detection]) => [
        does,
        (correct) => {
          const { events, ...customers } = inject(correct.customers, (owner) => correct.events(owner));
          return { customers, ...(events && { events }) };
        },
        ...detection,
      ]),
    );
  });
  describe('of webhook endpoints', () => {
    itCatchesFaults(
      webhookEndpointRepositoryContract,
      aStoreOfEndpoints,
      faults.map(([does, inject, ...detection]) => [
        does,
        (correct) => {
          const { events, ...replaced } = inject(correct.webhookEndpoints, (owner) => correct.events(owner));
          const webhookEndpoints = { ...correct.webhookEndpoints, ...replaced };
          return { ...correct, webhookEndpoints, ...(events && { events }) };
        },
        ...detection,
      ]),
    );
  });
}
