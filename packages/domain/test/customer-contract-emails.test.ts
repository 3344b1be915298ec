import { type Customer, emailKey } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';

const EVERYTHING = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;

/** Accepts an email that is taken where `isOverlooked`; keeps another instead, since the correct store must. */
const acceptingEmails =
  (isOverlooked: (email: string, holder: Customer | undefined) => boolean): Fault[1] =>
  ({ customers }) => ({
    customers: {
      insert: (owner, { customer, event }, idempotency) =>
        customers.list(owner, EVERYTHING).andThen(({ data }) => {
          const holder = data.find(({ email }) => emailKey(email) === emailKey(customer.email));
          return customers.insert(owner, { customer, event }, idempotency).orElse((error) => {
            if (error.type !== 'email_taken' || !isOverlooked(customer.email, holder)) return err(error);
            const elsewhere = { ...customer, email: `${customer.id}@elsewhere.example` };
            return customers
              .insert(owner, { customer: elsewhere, event }, idempotency)
              .map((it) => ({ ...it, customer }));
          });
        }),
    },
  });

/** Refuses an email that another customer had before under the name that `nameOf` gives it, deleted or not. */
const emailsOnceBy =
  (nameOf: (owner: string, email: string) => string): Fault[1] =>
  ({ customers }) => {
    const holders = new Map<string, string>();
    return {
      customers: {
        insert: (owner, created, idempotency) => {
          const name = nameOf(owner, emailKey(created.customer.email));
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
    'accepts an email twice at once',
    acceptingEmails((_, holder) => !holder),
    /one of many concurrent customers with the same email/,
  ],
  [
    'names the new customer as the holder of an email',
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
    'accepts a change to an email that is taken',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).orElse((error) => {
            if (!isRefusal(error, 'email_taken')) return err(error);
            const keepingEmail = (before: Customer) =>
              change(before).map(({ customer, event }) => ({ customer: { ...customer, email: before.email }, event }));
            return customers.update(owner, id, keepingEmail, idempotency);
          }),
      },
    }),
    /updating .* rejects the email of another/,
  ],
  [
    'refuses a change of the own email to another case',
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
    'writes emails in small letters',
    ({ customers }) => ({
      customers: {
        find: (owner, id) => customers.find(owner, id).map((found) => ({ ...found, email: emailKey(found.email) })),
      },
    }),
    /creating .* stores every field unchanged/,
  ],
  [
    'keeps an email from use after the deletion',
    emailsOnceBy((owner, email) => `${owner}: ${email}`),
    /frees the email/,
  ],
  ["minds others' emails", emailsOnceBy((_, email) => email), /another owner's customer .* does not reserve the email/],
];

describe('the contract of the customer port, on emails,', () => {
  itCatches(customerRepositoryContract, faults);
});
