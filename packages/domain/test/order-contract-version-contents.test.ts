import type { Order, OrderVersion } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import {
  alteringVersions,
  findingVersion,
  listingVersions,
  replacingVersions,
  sortMetadata,
  withoutKey,
  withOrder,
} from './faulty-versions.ts';

/** Returns the order before its deletion, in the version of the deletion. */
const keepDeleted = (all: readonly OrderVersion[]): readonly OrderVersion[] =>
  all.map((version, index) => ({ ...version, order: version.order ?? all[index + 1]?.order ?? null }));

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
        orders
          .listVersions(owner, id, query)
          .andThen((page) =>
            orders
              .load(owner, id)
              .map((found) =>
                found ? { ...page, data: page.data.map((it) => ({ ...it, order: found.aggregate })) } : page,
              ),
          ),
    ),
    /each has all changes before it/,
  ],
  [
    'finds the current order in every version',
    findingVersion(
      (orders) => (owner, id, version) =>
        orders
          .findVersion(owner, id, version)
          .andThen((it) => orders.load(owner, id).map((found) => (found ? { ...it, order: found.aggregate } : it))),
    ),
    /are what the keys of their writes have recorded/,
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
];

describe('the contract of the order port, on the contents of versions,', () => {
  itCatches(orderRepositoryContract, faults);
});
