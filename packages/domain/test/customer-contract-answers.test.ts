import { aCustomer, anOrder, customerRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';
import { finding, recordingMore, touchingRefused, withoutKey, withoutRefusal } from './faulty-stores.ts';

/** A store that looks for the email before anything else. */
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
const eventOfRefusal = recordingMore('refusal');

const faults: readonly Fault[] = [
  ['loses a metadata key of __proto__', losing('__proto__'), /creating .* every field unchanged/],
  ['loses a metadata key of a number', losing('2'), /creating .* every field unchanged/],
  ['does not keep new metadata', losing('tier'), /updating .* every field that may change/],
  ['loses a key of many', losing('k7'), /loses none of many/],
  ['finds a customer at version 1', firstVersion, /loses none of many/],
  [
    'loses an event of many',
    (correct) => ({ events: async (owner) => (await correct.events(owner)).slice(0, 20) }),
    /loses none of many/,
  ],
  ['records a customer refused for the email', eventOfRefusal, /creating .* rejects an email/],
  ['records everybody who asks for an email at once', eventOfRefusal, /concurrent customers with the same email/],
  ['records every customer under one key', eventOfRefusal, /several different customers/],
  ['records a refused deletion', eventOfRefusal, /error of decide/],
  ['records a deletion refused for an order', eventOfRefusal, /while an order refers to the customer/],
  ['records a refused change', eventOfRefusal, /or when the change fails/],
  ['records a change refused for the email', eventOfRefusal, /updating .* rejects the email/],
  ['records replayed creations', recordingMore('replay'), /creates one customer for concurrent/],
  ['touches a customer whom the judge kept', touchingRefused('no'), /error of decide/],
  [
    'touches a customer who has orders',
    touchingRefused('customer_has_orders'),
    /while an order refers to the customer/,
  ],
  ['touches a customer whose change is refused', touchingRefused('no'), /or when the change fails/],
  ['touches a customer refused for the email', touchingRefused('email_taken'), /updating .* rejects the email/],
  [
    'answers an email taken at once with unavailable',
    withoutRefusal('email_taken'),
    /concurrent customers with the same email/,
  ],
  ['answers the key of another with unavailable', withoutRefusal('idempotency_key_reused'), /of several different/],
  [
    'finds a customer who was deleted',
    ({ customers }) => {
      const gone = new Set<string>();
      return {
        customers: {
          find: (owner, id) => (gone.has(id) ? okAsync(aCustomer({ id })) : customers.find(owner, id)),
          delete: (owner, id, judge, idempotency) =>
            customers.delete(owner, id, judge, idempotency).map((it) => {
              gone.add(id);
              return it;
            }),
        },
      };
    },
    /removes the customer/,
  ],
  [
    'deletes a customer who is not there',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, judge, idempotency) =>
          customers
            .delete(owner, id, judge, idempotency)
            .orElse((error) =>
              isRefusal(error, 'customer_not_found') ? okAsync({ event: null, replayed: false }) : err(error),
            ),
      },
    }),
    /removes the customer/,
    /unexpected success: \{"event":null/,
  ],
  [
    'deletes nobody',
    ({ customers }) => ({
      customers: { delete: (_owner, id) => customers.find('nobody', id).map(() => ({ event: null, replayed: false })) },
    }),
    /removes the customer/,
    /unexpected error: \{"type":"customer_not_found"/,
  ],
  [
    'answers a repeated creation with a customer of its own',
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
  ['looks for the email before the key', emailsBeforeKeys, /looks up the key before .* the email/],
  ['looks for the email before the key of a repeat', emailsBeforeKeys, /creates one customer for concurrent retries/],
  [
    'asks for a change before it looks up the key',
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
    'asks about the customer of a stranger',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).mapErr((error) => {
            if (isRefusal(error, 'customer_not_found')) change(aCustomer({ id }));
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
    'lists nobody',
    () => ({ customers: { list: () => okAsync({ data: [], next: null }) } }),
    /copies arguments and results/,
  ],
  [
    'forgets everybody when one is deleted',
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
          delete: (owner, id, judge, idempotency) =>
            customers.delete(owner, id, judge, idempotency).map((it) => {
              emptied.add(owner);
              return it;
            }),
        },
      };
    },
    /erases this customer alone from the recorded results/,
  ],
];

describe('the contract of the customer port, on answers,', () => {
  itCatches(customerRepositoryContract, faults);
});
