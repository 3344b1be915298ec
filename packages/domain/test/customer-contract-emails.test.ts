import { type Customer, emailKey } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';

const EVERYTHING = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;

/**
 * Injects a store that accepts the email of another customer if `isAccepted`. The correct store stores another email.
 */
const acceptingEmails =
  (isAccepted: (email: string, holder: Customer | undefined) => boolean): Fault[1] =>
  ({ customers }) => ({
    customers: {
      insert: (owner, { customer, event }, idempotency) =>
        customers.list(owner, EVERYTHING).andThen(({ data }) => {
          const holder = data.find(({ email }) => emailKey(email) === emailKey(customer.email));
          return customers.insert(owner, { customer, event }, idempotency).orElse((error) => {
            if (error.type !== 'email_taken' || !isAccepted(customer.email, holder)) return err(error);
            const elsewhere = { ...customer, email: `${customer.id}@elsewhere.example` };
            return customers
              .insert(owner, { customer: elsewhere, event }, idempotency)
              .map((it) => ({ ...it, customer }));
          });
        }),
    },
  });

/** Injects a store that rejects an email whose `keyOf` another customer ever had, even a deleted one. */
const neverFreeing =
  (keyOf: (owner: string, email: string) => string): Fault[1] =>
  ({ customers }) => {
    const holders = new Map<string, string>();
    return {
      customers: {
        insert: (owner, created, idempotency) => {
          const name = keyOf(owner, emailKey(created.customer.email));
          const customer_id = holders.get(name);
          if (customer_id !== undefined && !idempotency) return errAsync({ type: 'email_taken', customer_id });
          holders.set(name, created.customer.id);
          return customers.insert(owner, created, idempotency);
        },
      },
    };
  };

const faults: readonly Fault[] = [
  ['accepts an email twice', acceptingEmails(() => true), /creating .* rejects an email/],
  [
    'accepts an email in another case',
    acceptingEmails((email, holder) => holder?.email.normalize() !== email.normalize()),
    /differs only in case/,
  ],
  [
    'accepts an email in another composition',
    acceptingEmails((email, holder) => holder?.email.toLowerCase() !== email.toLowerCase()),
    /or composition/,
  ],
  [
    'accepts an email twice concurrently',
    acceptingEmails((_, holder) => !holder),
    /one of many concurrent customers with the same email/,
  ],
  [
    'reports the new customer as the holder of an email',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers
            .insert(owner, created, idempotency)
            .mapErr((error) => (error.type === 'email_taken' ? { ...error, customer_id: created.customer.id } : error)),
      },
    }),
    /rejects an email .* and returns the holder/,
  ],
  [
    'accepts a change to the email of another customer',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).orElse((error) => {
            if (!isErrorOf(error, 'email_taken')) return err(error);
            const keepingEmail = (before: Customer) =>
              change(before).map(({ customer, event }) => ({ customer: { ...customer, email: before.email }, event }));
            return customers.update(owner, id, keepingEmail, idempotency);
          }),
      },
    }),
    /updating .* rejects the email of another/,
  ],
  [
    'rejects a change of the case of an email',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.find(owner, id).andThen((before) =>
            customers.update(owner, id, change, idempotency).andThen((it) => {
              const isOwn =
                it.customer.email !== before.email && emailKey(it.customer.email) === emailKey(before.email);
              return isOwn ? err({ type: 'email_taken' as const, customer_id: id }) : ok(it);
            }),
          ),
      },
    }),
    /updating .* accepts its own in another case/,
  ],
  [
    'stores emails in lower case',
    ({ customers }) => ({
      customers: {
        find: (owner, id) => customers.find(owner, id).map((found) => ({ ...found, email: emailKey(found.email) })),
      },
    }),
    /creating .* stores every field unchanged/,
  ],
  ['does not free an email after a deletion', neverFreeing((owner, email) => `${owner}: ${email}`), /frees the email/],
  [
    'compares emails across owners',
    neverFreeing((_, email) => email),
    /another owner's customer .* does not reserve the email/,
  ],
];

describe('the contract of the customer port, on emails,', () => {
  itCatches(customerRepositoryContract, faults);
});
