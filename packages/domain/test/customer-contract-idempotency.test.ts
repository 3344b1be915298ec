import type { Customer, Idempotency } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

/** Injects a store that alters idempotency keys. */
const reading =
  (read: (idempotency: Idempotency) => Idempotency): Fault[1] =>
  ({ customers }) => {
    const other = (idempotency: Idempotency | undefined) => idempotency && read(idempotency);
    return {
      customers: {
        insert: (owner, created, idempotency) => customers.insert(owner, created, other(idempotency)),
        update: (owner, id, change, idempotency) => customers.update(owner, id, change, other(idempotency)),
        delete: (owner, id, decide, idempotency) => customers.delete(owner, id, decide, other(idempotency)),
      },
    };
  };

const faults: readonly Fault[] = [
  [
    'ignores the key of a creation',
    ({ customers }) => ({ customers: { insert: (owner, created) => customers.insert(owner, created) } }),
    /creates one customer for concurrent retries/,
  ],
  [
    'ignores the key of a change',
    ({ customers }) => ({ customers: { update: (owner, id, change) => customers.update(owner, id, change) } }),
    /replays a change with its first result/,
  ],
  [
    'ignores the key of a deletion',
    ({ customers }) => ({ customers: { delete: (owner, id, decide) => customers.delete(owner, id, decide) } }),
    /erases this customer .* whose keys stay used/,
  ],
  [
    'ignores the key of a change without effect',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers
            .find(owner, id)
            .andThen(change)
            .map(({ event }) => event === null)
            .orElse(() => okAsync(false))
            .andThen((isNothing) => customers.update(owner, id, change, isNothing ? undefined : idempotency)),
      },
    }),
    /and a change without effect/,
  ],
  [
    'ignores fingerprints',
    reading((idempotency) => ({ ...idempotency, fingerprint: 'any' })),
    /one of several different customers/,
  ],
  [
    'never expires keys',
    reading((idempotency) => ({ ...idempotency, expires_at: '9999-12-31T23:59:59.999Z' })),
    /can use a key again after it expires/,
  ],
  [
    'expires keys a millisecond too late',
    reading((idempotency) => ({ ...idempotency, now: new Date(Date.parse(idempotency.now) - 1).toISOString() })),
    /can use a key again after it expires/,
  ],
  [
    'expires keys immediately',
    reading((idempotency) => ({ ...idempotency, expires_at: idempotency.now })),
    /creates one customer for concurrent retries/,
  ],
  [
    'replays the newest customer for a creation',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).andThen((it) =>
            customers
              .find(owner, it.customer.id)
              .map((customer) => ({ ...it, customer }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /replays a creation/,
  ],
  [
    'replays the newest customer for a change',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(owner, id, change, idempotency).andThen((it) =>
            customers
              .find(owner, it.customer.id)
              .map((customer) => ({ ...it, customer }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /replays a change with its first result/,
  ],
  [
    'does not report replays',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).map((it) => ({ ...it, replayed: false })),
      },
    }),
    /replays a creation/,
  ],
  [
    'replays an event',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers.insert(owner, created, idempotency).map((it) => ({ ...it, event: created.event })),
      },
    }),
    /replays a creation/,
  ],
  [
    'does not erase a deleted customer from recorded results',
    ({ customers }) => {
      const first = new Map<string, Customer>();
      return {
        customers: {
          insert: (owner, created, idempotency) =>
            customers
              .insert(owner, created, idempotency)
              .map((it) => {
                if (idempotency) first.set(idempotency.key, it.customer);
                return it;
              })
              .orElse((error) => {
                const customer =
                  idempotency && error.type === 'customer_not_found' ? first.get(idempotency.key) : undefined;
                return customer ? okAsync({ customer, event: null, replayed: true }) : errAsync(error);
              }),
        },
      };
    },
    /erases this customer alone from the recorded results/,
  ],
];

describe('the contract of the customer port, on idempotency,', () => {
  itCatches(customerRepositoryContract, faults);
});
