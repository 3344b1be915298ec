import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';
import { recordingMore, touchingRefused, unlessTaken } from './faulty-stores.ts';

const eventOfRefusal = recordingMore('refusal');
const eventOfReplay = recordingMore('replay');

const faults: readonly Fault[] = [
  ['records the second deletion', eventOfRefusal, /returns order_not_found for a deleted order/],
  ['records a refused deletion', eventOfRefusal, /error of decide/],
  ['records a refused change', eventOfRefusal, /error of the change/],
  ['records a change to a customer that is not there', eventOfRefusal, /updating .* rejects an unknown customer/],
  ['records an order with a reference that is taken', eventOfRefusal, /reference is rejected for a second order/],
  ['records every order that asks for a reference at once', eventOfRefusal, /is given to one of many/],
  ['records every change that only one may make', eventOfRefusal, /succeed once if only one/],
  ['records every order under one key', eventOfRefusal, /several different orders .* with one key/],
  ['records every change under one key', eventOfRefusal, /rejects the key of another command/],
  ['records a replayed creation', eventOfReplay, /returns the first result/],
  ['records creations replayed at once', eventOfReplay, /creates one order for concurrent retries/],
  ['records changes replayed at once', eventOfReplay, /applies a change once for concurrent retries/],
  ['records a replayed deletion', eventOfReplay, /replays a deletion/],
  ['records what changed nothing, without telling', recordingMore('nothing'), /records nothing when nothing changes/],
  ['touches an order that the judge kept', touchingRefused('no'), /error of decide/],
  ['touches an order whose change is refused', touchingRefused('no'), /error of the change/],
  [
    'touches an order refused for its customer',
    touchingRefused('unknown_customer'),
    /updating .* rejects an unknown customer/,
  ],
  [
    'finds an order refused for its customer',
    touchingRefused('unknown_customer'),
    /creating .* rejects an unknown customer/,
  ],
  ['touches an order refused for its reference', touchingRefused('reference_taken'), /rejected for a change/],
  [
    'deletes for a stranger, but says no',
    ({ orders }) => {
      const gone = new Set<string>();
      return {
        orders: {
          find: (owner, id) => orders.find(gone.has(id) ? 'nobody' : owner, id),
          delete: (owner, id, judge, idempotency) =>
            orders.delete(owner, id, judge, idempotency).mapErr((error) => {
              gone.add(id);
              return error;
            }),
        },
      };
    },
    /another owner's order cannot be found, changed or deleted/,
  ],
  [
    'brings a deleted order back with a change of it that was under way',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.find(owner, id).andThen((stale) =>
            orders.update(owner, id, change, idempotency).orElse((error) =>
              change(stale)
                .asyncAndThen(({ order, event }) =>
                  event && isRefusal(error, 'order_not_found')
                    ? unlessTaken(orders.insert(owner, { order, event }))
                    : okAsync({ order, event, replayed: false }),
                )
                .mapErr(() => error),
            ),
          ),
      },
    }),
    /never restore an order/,
  ],
];

describe('the contract of the order port, on what is left behind,', () => {
  itCatches(orderRepositoryContract, faults);
});
