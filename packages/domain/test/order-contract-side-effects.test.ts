import type { OrderEvent } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';
import { alteringFailed, recordingExtraEvents } from './faulty-stores.ts';

const eventOfFailure = recordingExtraEvents('failure');
const eventOfReplay = recordingExtraEvents('replay');

const faults: readonly Fault[] = [
  ['records an event for the second deletion', eventOfFailure, /returns order_not_found for a deleted order/],
  ['records an event for a rejected deletion', eventOfFailure, /error of decide/],
  ['records an event for a rejected change', eventOfFailure, /error of the change/],
  [
    'records an event for a change to a nonexistent customer',
    eventOfFailure,
    /updating .* rejects an unknown customer/,
  ],
  [
    'records an event for an order with the reference of another order',
    eventOfFailure,
    /reference is rejected for a second order/,
  ],
  ['records an event for every concurrent order with a reference', eventOfFailure, /is given to one of many/],
  ['records an event for every rejected concurrent change', eventOfFailure, /are applied once if only one/],
  ['records an event for every order with one key', eventOfFailure, /several different orders .* with one key/],
  ['records an event for every change with one key', eventOfFailure, /rejects the key of another command/],
  ['records an event for a replayed creation', eventOfReplay, /returns the first result/],
  ['records events for concurrently replayed creations', eventOfReplay, /creates one order for concurrent retries/],
  ['records events for concurrently replayed changes', eventOfReplay, /applies a change once for concurrent retries/],
  ['records an event for a replayed deletion', eventOfReplay, /replays a deletion/],
  [
    'records an event that it does not return when nothing changes',
    recordingExtraEvents('nothing'),
    /records nothing when nothing changes/,
  ],
  ['alters an order whose deletion was rejected', alteringFailed('no'), /error of decide/],
  ['alters an order whose change was rejected', alteringFailed('no'), /error of the change/],
  [
    'alters an order rejected for its customer',
    alteringFailed('unknown_customer'),
    /updating .* rejects an unknown customer/,
  ],
  [
    'finds an order rejected for its customer',
    alteringFailed('unknown_customer'),
    /creating .* rejects an unknown customer/,
  ],
  ['alters an order rejected for its reference', alteringFailed('reference_taken'), /rejected for a change/],
  [
    'deletes an order of another owner, but returns an error',
    ({ orders }) => {
      const deleted = new Set<string>();
      return {
        orders: {
          find: (owner, id) => orders.find(deleted.has(id) ? 'unknown' : owner, id),
          delete: (owner, id, decide, idempotency) =>
            orders.delete(owner, id, decide, idempotency).mapErr((error) => {
              deleted.add(id);
              return error;
            }),
        },
      };
    },
    /another owner's order cannot be found, changed or deleted/,
  ],
  [
    'restores a deleted order in the events of a concurrent change',
    ({ orders, ...correct }) => {
      const restored: OrderEvent[] = [];
      return {
        orders: {
          update: (owner, id, change, idempotency) =>
            orders.find(owner, id).andThen((stale) =>
              orders.update(owner, id, change, idempotency).mapErr((error) => {
                change(stale).map(({ event }) => event && restored.push({ ...event, version: event.version + 9 }));
                return error;
              }),
            ),
        },
        events: async (owner) => [
          ...(await correct.events(owner)),
          ...restored.filter((event) => event.owner === owner),
        ],
      };
    },
    /never restore an order/,
  ],
];

describe('the contract of the order port, on side effects,', () => {
  itCatches(orderRepositoryContract, faults);
});
