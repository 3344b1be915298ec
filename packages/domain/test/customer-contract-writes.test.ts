import { type Customer } from '@orders/domain';
import { aCustomer, anEventOfCustomer, customerRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';
import { changingStale } from './faulty-stores.ts';

/** Injects a store that loses the events of one type. */
const losingEvents =
  (lost: string): Fault[1] =>
  (correct) => ({ events: async (owner) => (await correct.events(owner)).filter(({ type }) => type !== lost) });

const faults: readonly Fault[] = [
  ['stores a customer without the event', losingEvents('customer.created'), /creating .* records the event/],
  ['stores a change without its event', losingEvents('customer.changed'), /updating .* records one event/],
  ['deletes without an event', losingEvents('customer.deleted'), /deleting .* records the event/],
  [
    'records the event of a change, but does not store the change',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) => {
          let decided: Customer | undefined;
          const onlyEvent = (customer: Customer) =>
            change(customer).map((decision) => {
              decided = decision.customer;
              return { customer: { ...customer, version: decided.version }, event: decision.event };
            });
          return customers
            .update(owner, id, onlyEvent, idempotency)
            .map((it) => ({ ...it, customer: decided ?? it.customer }));
        },
      },
    }),
    /updating .* stores every field that may change/,
  ],
  [
    'records an event when nothing changes',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(
            owner,
            id,
            (before) =>
              change(before).map(({ customer, event }) => {
                const touched = { ...before, version: before.version + 1 };
                return event ? { customer, event } : { customer: touched, event: anEventOfCustomer(owner, touched) };
              }),
            idempotency,
          ),
      },
    }),
    /records nothing when nothing changes/,
  ],
  ['loses one of two concurrent changes', changingStale, /loses none of many concurrent changes/],
  [
    'calls change for a nonexistent customer',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).orElse((error) => {
            if (isErrorOf(error, 'customer_not_found')) change(aCustomer({ id }));
            return err(error);
          }),
      },
    }),
    /without calling change/,
    /: change was called/,
  ],
  [
    'deletes an aggregate against the decision',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide, idempotency) =>
          customers.delete(
            owner,
            id,
            (customer) =>
              ok(decide(customer).unwrapOr(anEventOfCustomer(owner, customer, { type: 'customer.deleted' }))),
            idempotency,
          ),
      },
    }),
    /error of decide/,
  ],
  [
    'reports a deletion, but does not delete',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide) =>
          customers
            .find(owner, id)
            .andThen(decide)
            .map((event) => ({ event, replayed: false })),
      },
    }),
    /deleting .* removes the customer/,
  ],
  [
    'deletes a customer who has orders',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide, idempotency) =>
          customers
            .delete(owner, id, decide, idempotency)
            .orElse((error) =>
              isErrorOf(error, 'customer_has_orders') ? okAsync({ event: null, replayed: false }) : err(error),
            ),
      },
    }),
    /fails while an order refers to the customer/,
  ],
  [
    'never deletes a customer who had an order',
    ({ orders, customers }) => {
      const named = new Set<string | null>();
      return {
        orders: {
          insert: (owner, placed, idempotency) => {
            named.add(placed.order.customer_id);
            return orders.insert(owner, placed, idempotency);
          },
        },
        customers: {
          delete: (owner, id, decide, idempotency) =>
            named.has(id)
              ? errAsync({ type: 'customer_has_orders' })
              : customers.delete(owner, id, decide, idempotency),
        },
      };
    },
    /fails while an order refers to the customer/,
  ],
  [
    'deletes a customer while an order is placed concurrently',
    ({ orders, customers }) => {
      const placing = new Set<string | null>();
      return {
        orders: {
          insert: (owner, placed, idempotency) => {
            placing.add(placed.order.customer_id);
            return orders.insert(owner, placed, idempotency).map((it) => {
              placing.delete(placed.order.customer_id);
              return it;
            });
          },
        },
        customers: {
          delete: (owner, id, decide, idempotency) => {
            if (!placing.has(id)) return customers.delete(owner, id, decide, idempotency);
            return customers
              .find(owner, id)
              .andThen(decide)
              .map((event) => ({ event, replayed: false }));
          },
        },
      };
    },
    /never leaves an order without its customer/,
  ],
];

describe('the contract of the customer port, on writes,', () => {
  itCatches(customerRepositoryContract, faults);
});
