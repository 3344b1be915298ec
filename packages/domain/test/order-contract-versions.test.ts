import type { Order, OrderVersion } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';
import { withoutKey } from './faulty-stores.ts';
import {
  allVersions,
  alteringVersions,
  findingVersion,
  listingVersions,
  recordingExtraVersions,
  replacingVersions,
  withOrder,
} from './faulty-versions.ts';

/** Returns the order before its deletion, in the version of the deletion. */
const keepDeleted = (all: readonly OrderVersion[]): readonly OrderVersion[] =>
  all.map((version, index) => ({ ...version, order: version.order ?? all[index + 1]?.order ?? null }));

const sortMetadata = (order: Order): Order => {
  const entries = Object.entries(order.metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { ...order, metadata: Object.fromEntries(entries) };
};

const sortMembers = (order: Order): Order => {
  const { id, ...others } = order;
  return { ...others, id };
};

const isDeletion = ({ type }: OrderVersion): boolean => type === 'order.deleted';

const faults: readonly Fault[] = [
  [
    'numbers versions from 0',
    alteringVersions((it) => ({ ...it, version: it.version - 1 })),
    /have the event and the order of each write/,
  ],
  [
    'finds the version after the requested one',
    findingVersion((orders) => (owner, id, version) => orders.findVersion(owner, id, version + 1)),
    /are found by their numbers/,
  ],
  ['lists the oldest version first', replacingVersions((all) => all.toReversed()), /newest first/],
  [
    'lists no deletion',
    replacingVersions((all) => all.filter((version) => !isDeletion(version))),
    /end with the deletion/,
  ],
  [
    'finds no deletion',
    findingVersion(
      (orders) => (owner, id, version) =>
        orders
          .findVersion(owner, id, version)
          .andThen((it) => (isDeletion(it) ? errAsync({ type: 'version_not_found', id } as const) : okAsync(it))),
    ),
    /end with the deletion/,
  ],
  ['lists the order in the version of its deletion', replacingVersions(keepDeleted), /end with the deletion/],
  [
    'finds the order in the version of its deletion',
    findingVersion(
      (orders) => (owner, id, version) =>
        orders
          .findVersion(owner, id, version)
          .andThen((it) =>
            isDeletion(it)
              ? orders.findVersion(owner, id, version - 1).map(({ order }) => ({ ...it, order }))
              : okAsync(it),
          ),
    ),
    /end with the deletion/,
  ],
  [
    'gives the deletion the number of the version before it',
    alteringVersions((it) => (isDeletion(it) ? { ...it, version: it.version - 1 } : it)),
    /end with the deletion/,
  ],
  [
    'erases the earlier versions of a deleted order',
    replacingVersions((all) => all.map((it) => (all.some(isDeletion) ? { ...it, order: null } : it))),
    /also after the deletion/,
  ],
  [
    'lists no version of a deleted order',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders
          .listVersions(owner, id, query)
          .andThen((page) =>
            page.data.some(isDeletion) ? errAsync({ type: 'order_not_found', id } as const) : okAsync(page),
          ),
    ),
    /also after the deletion/,
    /order_not_found/,
  ],
  [
    'lists the current order in every version',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, query).andThen((page) =>
          orders
            .find(owner, id)
            .map((order) => ({ ...page, data: page.data.map((it) => ({ ...it, order })) }))
            .orElse(() => okAsync(page)),
        ),
    ),
    /each has all changes before it/,
  ],
  [
    'finds the current order in every version',
    findingVersion(
      (orders) => (owner, id, version) =>
        orders.findVersion(owner, id, version).andThen((it) =>
          orders
            .find(owner, id)
            .map((order) => ({ ...it, order }))
            .orElse(() => okAsync(it)),
        ),
    ),
    /are what retries return/,
  ],
  [
    'lists the order before each change',
    replacingVersions((all) => all.map((it, index) => ({ ...it, order: all[index + 1]?.order ?? it.order }))),
    /have the event and the order of each write/,
  ],
  ['loses the actor', alteringVersions((it) => ({ ...it, actor: null })), /have the event and the order/],
  [
    'loses the actor in its events',
    (correct) => ({
      events: async (owner) => (await correct.events(owner)).map((event) => ({ ...event, actor: null })),
    }),
    /have the event and the order/,
  ],
  [
    'loses the actor of a version that it finds',
    replacingVersions(
      (all) => all,
      (it) => ({ ...it, actor: null }),
    ),
    /are found by their numbers/,
  ],
  [
    'truncates a long actor',
    alteringVersions((it) => ({ ...it, actor: it.actor && it.actor.slice(0, 64) })),
    /have the event and the order/,
  ],
  [
    'attributes a change to the actor before it',
    replacingVersions((all) => all.map((it, index) => ({ ...it, actor: it.actor ?? all[index + 1]?.actor ?? null }))),
    /have the event and the order/,
  ],
  ['loses the changed fields', alteringVersions((it) => ({ ...it, changed: [] })), /have the event and the order/],
  ['loses the type', alteringVersions((it) => ({ ...it, type: null })), /have the event and the order/],
  [
    'dates a deletion by the last change',
    replacingVersions((all) =>
      all.map((it, index) => ({ ...it, occurred_at: all[index + Number(isDeletion(it))]?.occurred_at ?? '' })),
    ),
    /end with the deletion/,
  ],
  ['sorts the metadata of a version', alteringVersions(withOrder(sortMetadata)), /have the JSON text/],
  ['sorts the members of a version', alteringVersions(withOrder(sortMembers)), /have the JSON text/],
  [
    'sorts the metadata of a version that it finds',
    replacingVersions((all) => all, withOrder(sortMetadata)),
    /have the JSON text/,
  ],
  [
    'loses the key __proto__',
    alteringVersions(withOrder((order) => ({ ...order, metadata: withoutKey(order.metadata, '__proto__') }))),
    /have the event and the order/,
  ],
  [
    'loses the items of a version',
    alteringVersions(withOrder((order) => ({ ...order, items: [] }))),
    /have the event and the order/,
  ],
  [
    'loses the items of a deleted order',
    replacingVersions((all) =>
      all.map((it) => (all.some(isDeletion) ? withOrder((order) => ({ ...order, items: [] }))(it) : it)),
    ),
    /have the event and the order/,
  ],
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
          insert: (owner, placed, idempotency) => {
            owners.note(placed.order.id, owner);
            return orders.insert(owner, placed, idempotency);
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
          insert: (owner, placed, idempotency) => {
            owners.note(placed.order.id, owner);
            return orders.insert(owner, placed, idempotency);
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
          insert: (owner, placed, idempotency) => {
            owners.add(owner);
            return orders.insert(owner, placed, idempotency);
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
          delete: (owner, id, decide, idempotency) => {
            erased.add(id);
            return customers.delete(owner, id, decide, idempotency);
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
  [
    'lists versions by ids in lower case alone',
    listingVersions(
      (orders) => (owner, id, query) =>
        id === id.toLowerCase()
          ? orders.listVersions(owner, id, query)
          : errAsync({ type: 'order_not_found', id } as const),
    ),
    /are accessible by an id in either case/,
  ],
  [
    'finds versions by ids in lower case alone',
    findingVersion(
      (orders) => (owner, id, version) =>
        id === id.toLowerCase()
          ? orders.findVersion(owner, id, version)
          : errAsync({ type: 'version_not_found', id } as const),
    ),
    /are accessible by an id in either case/,
  ],
  [
    'returns a position with the id as it was given',
    listingVersions(
      (orders) => (owner, id, query) =>
        orders.listVersions(owner, id, query).map(({ data, next }) => ({ data, next: next && { ...next, id } })),
    ),
    /are accessible by an id in either case/,
  ],
  [
    'returns versions without a copy',
    ({ orders }) => {
      const shared = new Map<string, OrderVersion>();
      const share = (it: OrderVersion): OrderVersion => {
        const name = `${it.order?.id} ${it.version}`;
        const first = shared.get(name) ?? it;
        shared.set(name, first);
        return first;
      };
      return {
        orders: {
          listVersions: (owner, id, query) =>
            orders.listVersions(owner, id, query).map(({ data, next }) => ({ data: data.map(share), next })),
          findVersion: (owner, id, version) => orders.findVersion(owner, id, version).map(share),
        },
      };
    },
    /are returned as copies/,
  ],
  ['records a version when nothing changes', recordingExtraVersions('nothing'), /changes nothing, fails/],
  ['records a version of a failed write', recordingExtraVersions('failure'), /changes nothing, fails/],
  ['records a version of a replay', recordingExtraVersions('replay'), /changes nothing, fails/],
  [
    'skips a number',
    alteringVersions((it) => ({ ...it, version: it.version + Number(it.version > 10) })),
    /have no gaps after concurrent changes/,
  ],
  [
    'lists an order without the change of the version',
    replacingVersions((all) =>
      all.map((it, index) => {
        const [last = ''] = Object.keys(it.order?.metadata ?? {}).toReversed();
        const isNewest = index === 0 && all.length === 21;
        return isNewest ? withOrder((order) => ({ ...order, metadata: withoutKey(order.metadata, last) }))(it) : it;
      }),
    ),
    /each has all changes before it/,
  ],
  [
    'replays the order after the deletion as deleted',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders
            .update(owner, id, change, idempotency)
            .andThen((it) => (it.replayed ? orders.find(owner, id).map(() => it) : okAsync(it))),
      },
    }),
    /are what retries return/,
  ],
  [
    'replays an order with sorted metadata',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders
            .insert(owner, placed, idempotency)
            .map((it) => (it.replayed ? { ...it, order: sortMetadata(it.order) } : it)),
      },
    }),
    /are what retries return/,
  ],
  [
    'overwrites the versions of a deleted order',
    ({ orders }) => {
      const placedAgain = new Map<string, Order>();
      const deleted = new Set<string>();
      return {
        orders: {
          find: (owner, id) => {
            const order = placedAgain.get(id);
            return order ? okAsync(order) : orders.find(owner, id);
          },
          insert: (owner, placed, idempotency) => {
            const { order, event } = placed;
            if (!deleted.has(order.id)) return orders.insert(owner, placed, idempotency);
            placedAgain.set(order.id, order);
            return okAsync({ order, event, replayed: false });
          },
          delete: (owner, id, decide, idempotency) => {
            deleted.add(id);
            return orders.delete(owner, id, decide, idempotency);
          },
        },
      };
    },
    /rejects a new order with the id of a deleted order/,
  ],
  [
    'stores a decision of any version as the next one',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(
            owner,
            id,
            (before) =>
              change(before).map(({ order, event }) => ({
                order: { ...order, version: before.version + 1 },
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
    ({ orders }) => ({
      orders: {
        delete: (owner, id, decide, idempotency) =>
          orders.delete(
            owner,
            id,
            (order) => decide(order).map((event) => ({ ...event, version: order.version + 1 })),
            idempotency,
          ),
      },
    }),
    /whose version is not the next one/,
    /no rejection/,
  ],
];

describe('the contract of the order port, on versions,', () => {
  itCatches(orderRepositoryContract, faults);
});
