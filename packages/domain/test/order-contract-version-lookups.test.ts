import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';
import { allVersions, findingVersion, listingVersions } from './faulty-versions.ts';

const faults: readonly Fault[] = [
  [
    'truncates version numbers',
    findingVersion((orders) => (owner, id, version) => orders.findVersion(owner, id, Math.trunc(version))),
    /are not found by other numbers/,
  ],
  [
    'rounds version numbers',
    findingVersion((orders) => (owner, id, version) => orders.findVersion(owner, id, Math.round(version))),
    /are not found by other numbers/,
  ],
  [
    'reads version numbers as integers of 32 bits',
    findingVersion((orders) => (owner, id, version) => orders.findVersion(owner, id, Int32Array.of(version)[0] ?? 0)),
    /are not found by other numbers/,
  ],
  [
    'finds the newest version for a number beyond it',
    findingVersion(
      (orders) => (owner, id, version) =>
        allVersions(orders, owner, id)
          .orElse(() => okAsync([]))
          .andThen(([newest]) => orders.findVersion(owner, id, Math.min(version, newest?.version ?? version))),
    ),
    /are not found by other numbers/,
  ],
  [
    'is unavailable for a number that its database cannot represent',
    findingVersion(
      (orders) => (owner, id, version) =>
        Math.abs(version) < 2 ** 31
          ? orders.findVersion(owner, id, version)
          : errAsync({ type: 'unavailable', cause: 'out of range' } as const),
    ),
    /are not found by other numbers/,
  ],
  [
    'lists no version of an unknown order instead of an error',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, query).orElse(() => okAsync({ data: [], next: null })),
    ),
    /do not exist for an unknown id/,
  ],
  [
    'returns no error for an unknown order at a time',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders
          .listVersions(owner, id, query)
          .orElse((error) => (query.at === null ? errAsync(error) : okAsync({ data: [], next: null }))),
    ),
    /do not exist for an unknown id/,
  ],
  [
    'returns version_not_found with another id',
    findingVersion(
      (orders) => (owner, id, version) =>
        orders.findVersion(owner, id, version).mapErr((error) => ({ ...error, id: 'another' })),
    ),
    /do not exist for an unknown id/,
  ],
  [
    "lists the versions of another owner's order",
    ({ orders }) => {
      const owners = new OwnersById();
      return {
        orders: {
          commit: (owner, write) => {
            if (write.kind === 'create') owners.note(write.after.id, owner);
            return orders.commit(owner, write);
          },
          listVersions: (owner, id, query) => orders.listVersions(owners.of(id, owner), id, query),
        },
      };
    },
    /belong to their owner alone/,
  ],
  [
    "finds a version of another owner's order",
    ({ orders }) => {
      const owners = new OwnersById();
      return {
        orders: {
          commit: (owner, write) => {
            if (write.kind === 'create') owners.note(write.after.id, owner);
            return orders.commit(owner, write);
          },
          findVersion: (owner, id, version) => orders.findVersion(owners.of(id, owner), id, version),
        },
      };
    },
    /belong to their owner alone/,
  ],
  [
    'lists the versions of all owners with an order of this id',
    ({ orders }) => {
      const owners = new Set<string>();
      return {
        orders: {
          commit: (owner, write) => {
            owners.add(owner);
            return orders.commit(owner, write);
          },
          listVersions: (owner, id, query) =>
            orders
              .listVersions(owner, id, query)
              .andThen((page) =>
                ResultAsync.combine(
                  [...owners].map((other) => allVersions(orders, other, id).orElse(() => okAsync([]))),
                ).map((all) => ({ ...page, data: all.flat() })),
              ),
        },
      };
    },
    /belong to their owner alone/,
  ],
  [
    'erases the versions of an order with the id of a deleted customer',
    ({ orders, customers }) => {
      const erased = new Set<string>();
      return {
        customers: {
          commit: (owner, write) => {
            if (write.kind === 'delete') erased.add(write.before.aggregate.id);
            return customers.commit(owner, write);
          },
        },
        orders: {
          listVersions: (owner, id, query) =>
            orders.listVersions(owner, id, query).map(({ data, next }) => ({
              data: data.map((it) => (erased.has(id) ? { ...it, order: null } : it)),
              next,
            })),
        },
      };
    },
    /are separate from those of a customer/,
  ],
];

describe('the contract of the order port, on lookups of versions,', () => {
  itCatches(orderRepositoryContract, faults);
});
