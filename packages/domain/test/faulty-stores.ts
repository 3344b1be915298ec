import type { Customer, DomainEvent, Order, Unavailable } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { type Fault, isErrorOf } from './contract-faults.ts';

type Inject = Fault[1];

/** Injects a store that returns `unavailable` instead of errors of one type. */
export const unavailableInsteadOf = (type: string): Inject => {
  const other = <E>(error: E): E | Unavailable =>
    isErrorOf(error, type) ? { type: 'unavailable', cause: error } : error;
  return ({ orders, customers }) => ({
    orders: {
      insert: (owner, placed, idempotency) => orders.insert(owner, placed, idempotency).mapErr(other),
      find: (owner, id) => orders.find(owner, id).mapErr(other),
      update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).mapErr(other),
      delete: (owner, id, decide, idempotency) => orders.delete(owner, id, decide, idempotency).mapErr(other),
    },
    customers: {
      insert: (owner, created, idempotency) => customers.insert(owner, created, idempotency).mapErr(other),
      find: (owner, id) => customers.find(owner, id).mapErr(other),
      update: (owner, id, change, idempotency) => customers.update(owner, id, change, idempotency).mapErr(other),
      delete: (owner, id, decide, idempotency) => customers.delete(owner, id, decide, idempotency).mapErr(other),
    },
  });
};

/** Injects a store that records an extra event for each failed, replayed or unchanged write. */
export const recordingExtraEvents =
  (cause: 'failure' | 'replay' | 'nothing'): Inject =>
  ({ orders, customers, ...correct }) => {
    const more: DomainEvent<string>[] = [];
    const recordFailure =
      (event: DomainEvent<string>) =>
      <E>(error: E): E => {
        if (cause === 'failure') more.push(event);
        return error;
      };
    const written =
      (event: DomainEvent<string>) =>
      <T extends { readonly event: unknown; readonly replayed: boolean }>(it: T): T => {
        if (it.event === null && cause === (it.replayed ? 'replay' : 'nothing')) more.push(event);
        return it;
      };
    const ofOrder = (owner: string) => anEventOf(owner, anOrder());
    const ofCustomer = (owner: string) => anEventOfCustomer(owner, aCustomer());
    return {
      orders: {
        insert: (owner, placed, idempotency) =>
          orders
            .insert(owner, placed, idempotency)
            .map(written(ofOrder(owner)))
            .mapErr(recordFailure(ofOrder(owner))),
        update: (owner, id, change, idempotency) =>
          orders
            .update(owner, id, change, idempotency)
            .map(written(ofOrder(owner)))
            .mapErr(recordFailure(ofOrder(owner))),
        delete: (owner, id, decide, idempotency) =>
          orders
            .delete(owner, id, decide, idempotency)
            .map(written(ofOrder(owner)))
            .mapErr(recordFailure(ofOrder(owner))),
      },
      customers: {
        insert: (owner, created, idempotency) =>
          customers
            .insert(owner, created, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(recordFailure(ofCustomer(owner))),
        update: (owner, id, change, idempotency) =>
          customers
            .update(owner, id, change, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(recordFailure(ofCustomer(owner))),
        delete: (owner, id, decide, idempotency) =>
          customers
            .delete(owner, id, decide, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(recordFailure(ofCustomer(owner))),
      },
      events: async (owner) => [...(await correct.events(owner)), ...more.filter((event) => event.owner === owner)],
    };
  };

/** Injects a store that returns an altered value for the id of a write that failed with an error of one type. */
export const alteringFailed =
  (type: string): Inject =>
  ({ orders, customers }) => {
    const touched = new Set<string>();
    const observe =
      (id: string) =>
      <E>(error: E): E => {
        if (isErrorOf(error, type)) touched.add(id);
        return error;
      };
    return {
      orders: {
        find: (owner, id) => (touched.has(id) ? okAsync(anOrder({ id, note: 'touched' })) : orders.find(owner, id)),
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).mapErr(observe(placed.order.id)),
        update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).mapErr(observe(id)),
        delete: (owner, id, decide, idempotency) => orders.delete(owner, id, decide, idempotency).mapErr(observe(id)),
      },
      customers: {
        find: (owner, id) =>
          touched.has(id) ? okAsync(aCustomer({ id, name: 'Touched' })) : customers.find(owner, id),
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).mapErr(observe(created.customer.id)),
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).mapErr(observe(id)),
        delete: (owner, id, decide, idempotency) =>
          customers.delete(owner, id, decide, idempotency).mapErr(observe(id)),
      },
    };
  };

/** Injects a store whose `find` alters orders and customers. */
export const finding =
  (alter: { readonly order?: (order: Order) => Order; readonly customer?: (customer: Customer) => Customer }): Inject =>
  ({ orders, customers }) => {
    const { order = (found) => found, customer = (found) => found } = alter;
    return {
      orders: { find: (owner, id) => orders.find(owner, id).map(order) },
      customers: { find: (owner, id) => customers.find(owner, id).map(customer) },
    };
  };

/** Returns a copy of metadata without one key. */
export function withoutKey(metadata: Readonly<Record<string, string>>, lost: string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== lost));
}

/** Injects a store that applies each change to a version that may be outdated. */
export const changingStale: Inject = ({ orders, customers }) => ({
  orders: {
    update: (owner, id, change, idempotency) =>
      orders.find(owner, id).andThen((stale) =>
        orders.update(
          owner,
          id,
          ({ version }) =>
            change(stale).map(({ order, event }) => ({
              order: { ...order, version: version + 1 },
              event: event && { ...event, version: version + 1 },
            })),
          idempotency,
        ),
      ),
  },
  customers: {
    update: (owner, id, change, idempotency) =>
      customers.find(owner, id).andThen((stale) =>
        customers.update(
          owner,
          id,
          ({ version }) =>
            change(stale).map(({ customer, event }) => ({
              customer: { ...customer, version: version + 1 },
              event: event && { ...event, version: version + 1 },
            })),
          idempotency,
        ),
      ),
  },
});

/** Converts a rejection, such as for an existing id, to the error `unavailable`. */
export function catchingBugs<T, E>(insert: ResultAsync<T, E>): ResultAsync<T, E | Unavailable> {
  const taken = (cause: unknown): Unavailable => ({ type: 'unavailable', cause });
  return ResultAsync.fromPromise(Promise.resolve(insert), taken).andThen((result) => result);
}
