import type { Customer, CustomerRepository } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';

/** Injects a store that alters customers that a retry returns. */
const replaying =
  (alter: (customer: Customer) => Customer): Fault[1] =>
  ({ customers }) => {
    const altered = <T extends { readonly customer: Customer; readonly replayed: boolean }>(it: T): T =>
      it.replayed ? { ...it, customer: alter(it.customer) } : it;
    return {
      customers: {
        insert: (owner, created, idempotency) => customers.insert(owner, created, idempotency).map(altered),
        update: (owner, id, change, idempotency) => customers.update(owner, id, change, idempotency).map(altered),
      },
    };
  };

/**
 * Injects a store that records the results of keyed updates itself, and replays them after the deletion. `isKept` selects
 * the results by whether the customer has changed, and whether it was deleted meanwhile.
 */
const keepingResults =
  (isKept: (isChange: boolean, isDeleting: boolean) => boolean): Fault[1] =>
  ({ customers }) => {
    const results = new Map<string, Customer>();
    const deleting = new Set<string>();
    const update: CustomerRepository['update'] = (owner, id, change, idempotency) =>
      customers
        .update(owner, id, change, idempotency)
        .map((it) => {
          if (idempotency && isKept(it.event !== null, deleting.has(id))) results.set(idempotency.key, it.customer);
          return it;
        })
        .orElse((error) => {
          const customer = isErrorOf(error, 'customer_not_found') ? results.get(idempotency?.key ?? '') : undefined;
          return customer ? okAsync({ customer, event: null, replayed: true }) : errAsync(error);
        });
    return {
      customers: {
        update,
        delete: (owner, id, decide, idempotency) => {
          deleting.add(id);
          return customers.delete(owner, id, decide, idempotency);
        },
      },
    };
  };

const sortMetadata = (customer: Customer): Customer => {
  const entries = Object.entries(customer.metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { ...customer, metadata: Object.fromEntries(entries) };
};

const faults: readonly Fault[] = [
  [
    'loses the actor',
    (correct) => ({
      events: async (owner) => (await correct.events(owner)).map((event) => ({ ...event, actor: null })),
    }),
    /are recorded with one event each/,
  ],
  [
    'loses the changed fields',
    (correct) => ({
      events: async (owner) => (await correct.events(owner)).map((event) => ({ ...event, changed: [] })),
    }),
    /are recorded with one event each/,
  ],
  [
    'gives the deletion the number of the version before it',
    (correct) => ({
      events: async (owner) =>
        (await correct.events(owner)).map((event) =>
          event.type === 'customer.deleted' ? { ...event, version: event.version - 1 } : event,
        ),
    }),
    /are recorded with one event each/,
  ],
  ['sorts the metadata of a replay', replaying(sortMetadata), /in the same JSON text/],
  ['sorts the members of a replay', replaying(({ id, ...others }) => ({ ...others, id })), /in the same JSON text/],
  [
    'replays the newest version for an earlier change',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers
            .update(owner, id, change, idempotency)
            .andThen((it) =>
              it.replayed ? customers.find(owner, id).map((customer) => ({ ...it, customer })) : okAsync(it),
            ),
      },
    }),
    /are what retries return/,
  ],
  ['replays a change of an erased customer', keepingResults((isChange) => isChange), /are all erased by the deletion/],
  [
    'replays a change without effect of an erased customer',
    keepingResults((isChange) => !isChange),
    /are all erased by the deletion/,
  ],
  [
    'replays a change that ran while the customer was deleted',
    keepingResults((_, isDeleting) => isDeleting),
    /are all erased by a deletion that runs concurrently/,
  ],
  [
    'does not replay the deletion',
    ({ customers }) => ({ customers: { delete: (owner, id, decide) => customers.delete(owner, id, decide) } }),
    /are all erased by the deletion/,
  ],
  [
    'stores a decision of any version as the next one',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.update(
            owner,
            id,
            (before) =>
              change(before).map(({ customer, event }) => ({
                customer: { ...customer, version: before.version + 1 },
                event: event && { ...event, version: before.version + 1 },
              })),
            idempotency,
          ),
      },
    }),
    /whose version is not the next one/,
    /no rejection/,
  ],
  [
    'stores a deletion of any version as the next one',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide, idempotency) =>
          customers.delete(
            owner,
            id,
            (customer) => decide(customer).map((event) => ({ ...event, version: customer.version + 1 })),
            idempotency,
          ),
      },
    }),
    /whose version is not the next one/,
    /no rejection/,
  ],
];

describe('the contract of the customer port, on versions,', () => {
  itCatches(customerRepositoryContract, faults);
});
