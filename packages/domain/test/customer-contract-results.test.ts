import { aCustomer, anOrder, customerRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';
import { alteringFailed, finding, recordingExtraEvents, unavailableInsteadOf, withoutKey } from './faulty-stores.ts';

/** Injects a store that checks the email before the key. */
const emailsBeforeKeys: Fault[1] = ({ customers }) => {
  const holders = new Map<string, string>();
  return {
    customers: {
      insert: (owner, created, idempotency) => {
        const { email, id } = created.customer;
        const customer_id = holders.get(email);
        if (customer_id !== undefined) return errAsync({ type: 'email_taken', customer_id });
        holders.set(email, id);
        return customers.insert(owner, created, idempotency);
      },
    },
  };
};

const losing = (key: string): Fault[1] =>
  finding({ customer: (found) => ({ ...found, metadata: withoutKey(found.metadata, key) }) });
const firstVersion = finding({ customer: (found) => ({ ...found, version: 1 }) });
const eventOfFailure = recordingExtraEvents('failure');

const faults: readonly Fault[] = [
  ['loses a metadata key of __proto__', losing('__proto__'), /creating .* every field unchanged/],
  ['loses a metadata key of a number', losing('2'), /creating .* every field unchanged/],
  ['does not store new metadata', losing('tier'), /updating .* every field that may change/],
  ['loses a key of many', losing('k7'), /loses none of many/],
  ['finds a customer at version 1', firstVersion, /loses none of many/],
  [
    'loses an event of many',
    (correct) => ({ events: async (owner) => (await correct.events(owner)).slice(0, 20) }),
    /loses none of many/,
  ],
  ['records an event for a customer rejected for the email', eventOfFailure, /creating .* rejects an email/],
  [
    'records an event for every concurrent customer with an email',
    eventOfFailure,
    /concurrent customers with the same email/,
  ],
  ['records an event for every customer with one key', eventOfFailure, /several different customers/],
  ['records an event for a rejected deletion', eventOfFailure, /error of decide/],
  [
    'records an event for a deletion rejected because of an order',
    eventOfFailure,
    /while an order refers to the customer/,
  ],
  ['records an event for a rejected change', eventOfFailure, /or when the change fails/],
  ['records an event for a change rejected for the email', eventOfFailure, /updating .* rejects the email/],
  ['records an event for a replayed creation', recordingExtraEvents('replay'), /creates one customer for concurrent/],
  ['alters a customer whose deletion was rejected', alteringFailed('no'), /error of decide/],
  ['alters a customer who has orders', alteringFailed('customer_has_orders'), /while an order refers to the customer/],
  ['alters a customer whose change was rejected', alteringFailed('no'), /or when the change fails/],
  ['alters a customer rejected for the email', alteringFailed('email_taken'), /updating .* rejects the email/],
  [
    'returns unavailable for a concurrent email',
    unavailableInsteadOf('email_taken'),
    /concurrent customers with the same email/,
  ],
  [
    'returns unavailable for the key of another command',
    unavailableInsteadOf('idempotency_key_reused'),
    /of several different/,
  ],
  [
    'finds a deleted customer',
    ({ customers }) => {
      const deleted = new Set<string>();
      return {
        customers: {
          find: (owner, id) => (deleted.has(id) ? okAsync(aCustomer({ id })) : customers.find(owner, id)),
          delete: (owner, id, decide, idempotency) =>
            customers.delete(owner, id, decide, idempotency).map((it) => {
              deleted.add(id);
              return it;
            }),
        },
      };
    },
    /removes the customer/,
  ],
  [
    'deletes a nonexistent customer',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide, idempotency) =>
          customers
            .delete(owner, id, decide, idempotency)
            .orElse((error) =>
              isErrorOf(error, 'customer_not_found') ? okAsync({ event: null, replayed: false }) : err(error),
            ),
      },
    }),
    /removes the customer/,
    /unexpected success: \{"event":null/,
  ],
  [
    'deletes no customer',
    ({ customers }) => ({
      customers: {
        delete: (_owner, id) => customers.find('another owner', id).map(() => ({ event: null, replayed: false })),
      },
    }),
    /removes the customer/,
    /unexpected error: \{"type":"customer_not_found"/,
  ],
  [
    'creates a second customer for a retry',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers
            .insert(owner, created, idempotency)
            .map((it) => (it.replayed ? { ...it, customer: created.customer } : it)),
      },
    }),
    /creates one customer for concurrent/,
  ],
  ['checks the email before the key', emailsBeforeKeys, /looks up the key before .* the email/],
  ['checks the email before the key of a retry', emailsBeforeKeys, /creates one customer for concurrent retries/],
  [
    'calls change before it looks up the key',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) => {
          change(aCustomer({ id }));
          return customers.update(owner, id, change, idempotency);
        },
      },
    }),
    /looks up the key before the customer/,
    /change ran for a customer/,
  ],
  [
    'calls change for a customer of another owner',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).mapErr((error) => {
            if (isErrorOf(error, 'customer_not_found')) change(aCustomer({ id }));
            return error;
          }),
      },
    }),
    /another owner's customer/,
    /change ran for a customer of another owner/,
  ],
  [
    'creates a customer under the key of an order',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).orElse((error) => {
            if (error.type === 'email_taken') return err(error);
            const { id } = aCustomer();
            return customers.insert(owner, { ...created, customer: { ...created.customer, id } });
          }),
      },
    }),
    /rejects a key that an order was placed with/,
  ],
  [
    'places an order under the key of a customer',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).orElse((error) => {
            if (error.type === 'reference_taken') return err(error);
            const { id } = anOrder();
            return orders.insert(owner, { ...placed, order: { ...placed.order, id } });
          }),
      },
    }),
    /and the reverse/,
  ],
  [
    'lists no customers',
    () => ({ customers: { list: () => okAsync({ data: [], next: null }) } }),
    /copies arguments and results/,
  ],
  [
    'erases all customers when one is deleted',
    ({ customers }) => {
      const emptied = new Set<string>();
      return {
        customers: {
          insert: (owner, created, idempotency) =>
            customers
              .insert(owner, created, idempotency)
              .andThen((it) =>
                it.replayed && emptied.has(owner)
                  ? err({ type: 'customer_not_found' as const, id: it.customer.id })
                  : okAsync(it),
              ),
          delete: (owner, id, decide, idempotency) =>
            customers.delete(owner, id, decide, idempotency).map((it) => {
              emptied.add(owner);
              return it;
            }),
        },
      };
    },
    /erases this customer alone from the recorded results/,
  ],
];

describe('the contract of the customer port, on results,', () => {
  itCatches(customerRepositoryContract, faults);
});
