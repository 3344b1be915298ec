import type { Order, OrderVersion } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import { withoutKey } from './faulty-stores.ts';
import {
  alteringVersions,
  recordingExtraVersions,
  replacingVersions,
  sortMetadata,
  withOrder,
} from './faulty-versions.ts';

const faults: readonly Fault[] = [
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
