import { type Customer, type CustomerRepository, emailKey } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

type Commit = CustomerRepository['commit'];
type Write = Parameters<Commit>[1];

const EVERYTHING = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;

/** Injects a store whose commits are made of the correct methods. */
const committing =
  (commit: (customers: CustomerRepository, ...args: Parameters<Commit>) => ReturnType<Commit>): Fault[1] =>
  ({ customers }) => ({ customers: { commit: (owner, write) => commit(customers, owner, write) } });

/** Injects a store that alters the customers that it loads. */
const loading =
  (alter: (customer: Customer) => Customer): Fault[1] =>
  ({ customers }) => ({
    customers: {
      load: (owner, id) =>
        customers.load(owner, id).map((found) => found && { ...found, aggregate: alter(found.aggregate) }),
    },
  });

/** Returns the customer that a write stores, if any. */
function after(write: Write): Customer | null {
  return write.kind === 'create' || write.kind === 'change' ? write.after : null;
}

/** Injects a store that accepts the email of another customer if `isAccepted`, and stores another one. */
const acceptingEmails = (
  isAccepted: (write: Write, email: string, holder: Customer | undefined) => boolean,
): Fault[1] =>
  committing((customers, owner, write) => {
    const email = after(write)?.email ?? '';
    return customers.list(owner, EVERYTHING).andThen(({ data }) => {
      const holder = data.find((one) => emailKey(one.email) === emailKey(email));
      return customers.commit(owner, write).orElse((error) => {
        const isTaken = error.type === 'refused' && error.reason.type === 'email_taken';
        if (!isTaken || (write.kind !== 'create' && write.kind !== 'change') || !isAccepted(write, email, holder))
          return errAsync(error);
        const elsewhere = { ...write.after, email: `${write.after.id}@elsewhere.example` };
        return customers.commit(owner, { ...write, after: elsewhere });
      });
    });
  });

/** Injects a store that refuses an email whose `keyOf` another customer ever had, even a deleted one. */
const neverFreeing = (keyOf: (owner: string, email: string) => string): Fault[1] => {
  return ({ customers }) => {
    const holders = new Map<string, string>();
    return {
      customers: {
        commit: (owner, write) => {
          const customer = after(write);
          if (!customer) return customers.commit(owner, write);
          const name = keyOf(owner, emailKey(customer.email));
          const holder = holders.get(name) ?? customer.id;
          holders.set(name, holder);
          return holder === customer.id
            ? customers.commit(owner, write)
            : errAsync({ type: 'refused', reason: { type: 'email_taken', customer_id: holder } });
        },
      },
    };
  };
};

/** Injects a store that reports the deletion of a customer who has orders as stored. */
const acceptingDeletions: Fault[1] = committing((customers, owner, write) =>
  customers
    .commit(owner, write)
    .orElse((error) =>
      error.type === 'refused' && error.reason.type === 'customer_has_orders' ? okAsync(null) : errAsync(error),
    ),
);

const faults: readonly Fault[] = [
  ['accepts an email twice', acceptingEmails(({ kind }) => kind === 'create'), /is refused in any case or composition/],
  [
    'accepts a change to the email of another customer',
    acceptingEmails(({ kind }) => kind === 'change'),
    /is refused in any case or composition/,
  ],
  [
    'accepts an email in another case',
    acceptingEmails((_, email, holder) => holder?.email.normalize() !== email.normalize()),
    /is refused in any case/,
  ],
  [
    'accepts an email in another composition',
    acceptingEmails((_, email, holder) => holder?.email.toLowerCase() !== email.toLowerCase()),
    /or composition/,
  ],
  ['accepts an email twice concurrently', acceptingEmails((_, __, holder) => !holder), /is given to one of many/],
  [
    'reports the new customer as the holder of an email',
    committing((customers, owner, write) =>
      customers
        .commit(owner, write)
        .mapErr((error) =>
          error.type === 'refused' && error.reason.type === 'email_taken'
            ? { ...error, reason: { ...error.reason, customer_id: after(write)?.id ?? '' } }
            : error,
        ),
    ),
    /with the id of the holder/,
  ],
  [
    'refuses a change of the case of an email',
    committing((customers, owner, write) =>
      write.kind === 'change' &&
      write.after.email !== write.before.aggregate.email &&
      emailKey(write.after.email) === emailKey(write.before.aggregate.email)
        ? errAsync({ type: 'refused', reason: { type: 'email_taken', customer_id: write.after.id } })
        : customers.commit(owner, write),
    ),
    /is refused in any case/,
    /email_taken/,
  ],
  [
    'stores emails in lower case',
    loading((customer) => ({ ...customer, email: emailKey(customer.email) })),
    /has every field unchanged/,
  ],
  [
    'does not free an email after a deletion',
    neverFreeing((owner, email) => `${owner}: ${email}`),
    /email .* is free after a deletion/,
  ],
  ['compares emails across owners', neverFreeing((_, email) => email), /in the customers of another owner/],
  [
    'loses a metadata key of __proto__',
    loading((customer) => ({ ...customer, metadata: Object.assign({}, customer.metadata) })),
    /has every field unchanged/,
  ],
  [
    'does not store new metadata',
    committing((customers, owner, write) =>
      customers.commit(
        owner,
        write.kind === 'change'
          ? { ...write, after: { ...write.after, metadata: write.before.aggregate.metadata } }
          : write,
      ),
    ),
    /also after a change/,
  ],
  ['deletes a customer who has orders', acceptingDeletions, /is refused while an order refers/],
  [
    'deletes a customer who has orders with the lock',
    ({ customers }) => ({
      customers: {
        commitLocked: (owner, id, lookUp, decide) =>
          customers
            .commitLocked(owner, id, lookUp, decide)
            .orElse(() => customers.commitLocked(owner, id, lookUp, (found) => ({ ...decide(found), write: null }))),
      },
    }),
    /is refused while an order refers/,
  ],
  [
    'never deletes a customer who had an order',
    ({ customers, orders }) => {
      const had = new Set<string>();
      return {
        orders: {
          commit: (owner, write) => {
            if (write.kind === 'create' && write.after.customer_id !== null) had.add(write.after.customer_id);
            return orders.commit(owner, write);
          },
        },
        customers: {
          commit: (owner, write) =>
            write.kind === 'delete' && had.has(write.before.aggregate.id)
              ? errAsync({ type: 'refused', reason: { type: 'customer_has_orders' } })
              : customers.commit(owner, write),
        },
      };
    },
    /is refused while an order refers/,
    /unexpected error/,
  ],
  [
    'deletes a customer while an order is placed concurrently',
    acceptingDeletions,
    /never leaves an order without its customer/,
  ],
  [
    'keeps the versions of a deleted customer',
    ({ customers }) => {
      const recorded = new Map<string, Customer>();
      return {
        customers: {
          commit: (owner, write) => {
            const customer = write.kind === 'key_only' ? write.before.aggregate : after(write);
            if (write.key && customer) recorded.set(write.key.key, structuredClone(customer));
            return customers.commit(owner, write);
          },
          findRecorded: (owner, key) =>
            customers
              .findRecorded(owner, key)
              .map((found) => found && { ...found, aggregate: found.aggregate ?? recorded.get(key.key) ?? null }),
        },
      };
    },
    /is recorded with the version that its write made/,
  ],
  [
    'erases all customers when one is deleted',
    ({ customers }) => {
      let hasDeleted = false;
      return {
        customers: {
          commit: (owner, write) => {
            hasDeleted ||= write.kind === 'delete';
            return customers.commit(owner, write);
          },
          findRecorded: (owner, key) =>
            customers
              .findRecorded(owner, key)
              .map((found) => found && { ...found, aggregate: hasDeleted ? null : found.aggregate }),
        },
      };
    },
    /is recorded with the version that its write made/,
  ],
];

describe('the contract of the customer port, on its rules,', () => {
  itCatches(customerRepositoryContract, faults);
});
