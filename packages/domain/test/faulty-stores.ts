import type { Customer, DomainEvent, Order, Unavailable } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { okAsync, ResultAsync } from 'neverthrow';
import { type Fault, isRefusal } from './contract-faults.ts';

type Plant = Fault[1];

/** A store that answers `unavailable` instead of refusals of one type. */
export const withoutRefusal = (type: string): Plant => {
  const other = <E>(error: E): E | Unavailable =>
    isRefusal(error, type) ? { type: 'unavailable', cause: error } : error;
  return ({ orders, customers }) => ({
    orders: {
      insert: (owner, placed, idempotency) => orders.insert(owner, placed, idempotency).mapErr(other),
      find: (owner, id) => orders.find(owner, id).mapErr(other),
      update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).mapErr(other),
      delete: (owner, id, judge, idempotency) => orders.delete(owner, id, judge, idempotency).mapErr(other),
    },
    customers: {
      insert: (owner, created, idempotency) => customers.insert(owner, created, idempotency).mapErr(other),
      find: (owner, id) => customers.find(owner, id).mapErr(other),
      update: (owner, id, change, idempotency) => customers.update(owner, id, change, idempotency).mapErr(other),
      delete: (owner, id, judge, idempotency) => customers.delete(owner, id, judge, idempotency).mapErr(other),
    },
  });
};

/** A store that records an event more for each write that is `odd`: a refusal, a replay, or one without a change. */
export const recordingMore =
  (odd: 'refusal' | 'replay' | 'nothing'): Plant =>
  ({ orders, customers, ...correct }) => {
    const more: DomainEvent<string>[] = [];
    const refused =
      (event: DomainEvent<string>) =>
      <E>(error: E): E => {
        if (odd === 'refusal') more.push(event);
        return error;
      };
    const written =
      (event: DomainEvent<string>) =>
      <T extends { readonly event: unknown; readonly replayed: boolean }>(it: T): T => {
        if (it.event === null && odd === (it.replayed ? 'replay' : 'nothing')) more.push(event);
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
            .mapErr(refused(ofOrder(owner))),
        update: (owner, id, change, idempotency) =>
          orders
            .update(owner, id, change, idempotency)
            .map(written(ofOrder(owner)))
            .mapErr(refused(ofOrder(owner))),
        delete: (owner, id, judge, idempotency) =>
          orders
            .delete(owner, id, judge, idempotency)
            .map(written(ofOrder(owner)))
            .mapErr(refused(ofOrder(owner))),
      },
      customers: {
        insert: (owner, created, idempotency) =>
          customers
            .insert(owner, created, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(refused(ofCustomer(owner))),
        update: (owner, id, change, idempotency) =>
          customers
            .update(owner, id, change, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(refused(ofCustomer(owner))),
        delete: (owner, id, judge, idempotency) =>
          customers
            .delete(owner, id, judge, idempotency)
            .map(written(ofCustomer(owner)))
            .mapErr(refused(ofCustomer(owner))),
      },
      events: async (owner) => [...(await correct.events(owner)), ...more.filter((event) => event.owner === owner)],
    };
  };

/** A store that finds another thing than it keeps by an id that a write was refused for with this. */
export const touchingRefused =
  (type: string): Plant =>
  ({ orders, customers }) => {
    const touched = new Set<string>();
    const noting =
      (id: string) =>
      <E>(error: E): E => {
        if (isRefusal(error, type)) touched.add(id);
        return error;
      };
    return {
      orders: {
        find: (owner, id) => (touched.has(id) ? okAsync(anOrder({ id, note: 'touched' })) : orders.find(owner, id)),
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).mapErr(noting(placed.order.id)),
        update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).mapErr(noting(id)),
        delete: (owner, id, judge, idempotency) => orders.delete(owner, id, judge, idempotency).mapErr(noting(id)),
      },
      customers: {
        find: (owner, id) =>
          touched.has(id) ? okAsync(aCustomer({ id, name: 'Touched' })) : customers.find(owner, id),
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).mapErr(noting(created.customer.id)),
        update: (owner, id, change, idempotency) => customers.update(owner, id, change, idempotency).mapErr(noting(id)),
        delete: (owner, id, judge, idempotency) => customers.delete(owner, id, judge, idempotency).mapErr(noting(id)),
      },
    };
  };

/** A store that finds orders and customers as `order` and `customer` make them. */
export const finding =
  (made: { readonly order?: (order: Order) => Order; readonly customer?: (customer: Customer) => Customer }): Plant =>
  ({ orders, customers }) => {
    const { order = (found) => found, customer = (found) => found } = made;
    return {
      orders: { find: (owner, id) => orders.find(owner, id).map(order) },
      customers: { find: (owner, id) => customers.find(owner, id).map(customer) },
    };
  };

/** Metadata without one of its keys. */
export function withoutKey(metadata: Readonly<Record<string, string>>, lost: string): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== lost));
}

/** An insert of a fault that may meet an id that exists, for which the store would reject. */
export function unlessTaken<T, E>(insert: ResultAsync<T, E>): ResultAsync<T, E | Unavailable> {
  const taken = (cause: unknown): Unavailable => ({ type: 'unavailable', cause });
  return ResultAsync.fromPromise(Promise.resolve(insert), taken).andThen((result) => result);
}
