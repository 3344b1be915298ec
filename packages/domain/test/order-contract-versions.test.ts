import type { OrderVersion } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import {
  alteringVersions,
  recordingExtraVersions,
  replacingVersions,
  sortMetadata,
  withoutKey,
  withOrder,
} from './faulty-versions.ts';

const faults: readonly Fault[] = [
  ...(['page', 'page at a time', 'version'] as const).map((what): Fault => [
    `returns a ${what} without a copy`,
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
            orders.listVersions(owner, id, query).map(({ data, next }) => {
              const isShared = what === (query.at === null ? 'page' : 'page at a time');
              return { data: isShared ? data.map(share) : data, next };
            }),
          findVersion: (owner, id, version) =>
            orders.findVersion(owner, id, version).map((it) => (what === 'version' ? share(it) : it)),
        },
      };
    },
    /are returned as copies/,
  ]),
  ['records a version with a key alone', recordingExtraVersions('key_only'), /records a key alone/],
  ['records a version of a write that is lost', recordingExtraVersions('stale'), /stay the same/],
  ['records a version of a write that is refused', recordingExtraVersions('refused'), /stay the same/],
  ['records a version of a write with a used key', recordingExtraVersions('key_used'), /stay the same/],
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
    'finds no recorded order after the deletion',
    ({ orders }) => ({
      orders: {
        findRecorded: (owner, key) =>
          orders
            .findRecorded(owner, key)
            .andThen((found) =>
              found
                ? orders.load(owner, found.id).map((current) => (current ? found : { ...found, aggregate: null }))
                : okAsync(null),
            ),
      },
    }),
    /are what the keys of their writes have recorded/,
  ],
  [
    'finds a recorded order with sorted metadata',
    ({ orders }) => ({
      orders: {
        findRecorded: (owner, key) =>
          orders
            .findRecorded(owner, key)
            .map((found) => found && { ...found, aggregate: found.aggregate && sortMetadata(found.aggregate) }),
      },
    }),
    /are what the keys of their writes have recorded/,
  ],
];

describe('the contract of the order port, on versions,', () => {
  itCatches(orderRepositoryContract, faults);
});
