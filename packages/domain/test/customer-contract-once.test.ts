import type { Customer, Once } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

/** A store that takes its keys for something else than they are. */
const reading =
  (read: (once: Once) => Once): Fault[1] =>
  ({ customers }) => {
    const other = (once: Once | undefined) => once && read(once);
    return {
      customers: {
        insert: (owner, created, once) => customers.insert(owner, created, other(once)),
        update: (owner, id, change, once) => customers.update(owner, id, change, other(once)),
        delete: (owner, id, judge, once) => customers.delete(owner, id, judge, other(once)),
      },
    };
  };

const faults: readonly Fault[] = [
  [
    'forgets the key of a creation',
    ({ customers }) => ({ customers: { insert: (owner, created) => customers.insert(owner, created) } }),
    /creates one customer when repeated at once/,
  ],
  [
    'forgets the key of a change',
    ({ customers }) => ({ customers: { update: (owner, id, change) => customers.update(owner, id, change) } }),
    /replays a change as it was/,
  ],
  [
    'forgets the key of a deletion',
    ({ customers }) => ({ customers: { delete: (owner, id, judge) => customers.delete(owner, id, judge) } }),
    /forgets the customer, .* in the records of keys, which stay taken/,
  ],
  [
    'forgets the key of a change that changes nothing',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, once) =>
          customers
            .find(owner, id)
            .andThen(change)
            .map(({ event }) => event === null)
            .orElse(() => okAsync(false))
            .andThen((isNothing) => customers.update(owner, id, change, isNothing ? undefined : once)),
      },
    }),
    /and a change that changed nothing/,
  ],
  [
    'does not tell commands apart',
    reading((once) => ({ ...once, fingerprint: 'any' })),
    /of two different customers with one key/,
  ],
  [
    'remembers keys for ever',
    reading((once) => ({ ...once, expires_at: '9999-12-31T23:59:59.999Z' })),
    /finds a key free again when its time is over/,
  ],
  [
    'remembers keys a millisecond too long',
    reading((once) => ({ ...once, now: new Date(Date.parse(once.now) - 1).toISOString() })),
    /finds a key free again when its time is over/,
  ],
  [
    'forgets keys at once',
    reading((once) => ({ ...once, expires_at: once.now })),
    /creates one customer when repeated at once/,
  ],
  [
    'replays a creation with the newest customer',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, once) =>
          customers.insert(owner, created, once).andThen((it) =>
            customers
              .find(owner, it.customer.id)
              .map((customer) => ({ ...it, customer }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /replays a creation as it was/,
  ],
  [
    'replays a change with the newest customer',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, once) =>
          customers.update(owner, id, change, once).andThen((it) =>
            customers
              .find(owner, it.customer.id)
              .map((customer) => ({ ...it, customer }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /replays a change as it was/,
  ],
  [
    'does not say that it replays',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, once) =>
          customers.insert(owner, created, once).map((it) => ({ ...it, replayed: false })),
      },
    }),
    /replays a creation as it was/,
  ],
  [
    'replays with an event',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, once) =>
          customers.insert(owner, created, once).map((it) => ({ ...it, event: created.event })),
      },
    }),
    /replays a creation as it was/,
  ],
  [
    'remembers in its keys a customer that was deleted',
    ({ customers }) => {
      const first = new Map<string, Customer>();
      return {
        customers: {
          insert: (owner, created, once) =>
            customers
              .insert(owner, created, once)
              .map((it) => {
                if (once) first.set(once.key, it.customer);
                return it;
              })
              .orElse((error) => {
                const customer = once && error.type === 'customer_not_found' ? first.get(once.key) : undefined;
                return customer ? okAsync({ customer, event: null, replayed: true }) : errAsync(error);
              }),
        },
      };
    },
    /forgets the customer, .* in the records of keys/,
  ],
];

describe('the contract of the customer port, on keys,', () => {
  itCatches(customerRepositoryContract, faults);
});
