import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';
import { recordingMore, touchingRefused, unlessTaken } from './faulty-stores.ts';

const eventOfRefusal = recordingMore('refusal');
const eventOfReplay = recordingMore('replay');

const faults: readonly Fault[] = [
  ['records the second deletion', eventOfRefusal, /says of a deleted order that there is none/],
  ['records a refused deletion', eventOfRefusal, /refusal of the judge/],
  ['records a refused change', eventOfRefusal, /refusal of the change/],
  ['records a change to a customer that is not there', eventOfRefusal, /updating .* refuses a customer/],
  ['records an order with a reference that is taken', eventOfRefusal, /reference is refused to a second order/],
  ['records every order that asks for a reference at once', eventOfRefusal, /goes to one of many/],
  ['records every change that only one may make', eventOfRefusal, /that only one may make/],
  ['records every order under one key', eventOfRefusal, /of two different orders with one key/],
  ['records every change under one key', eventOfRefusal, /under the key of another command/],
  ['records a replayed creation', eventOfReplay, /answers as the first time/],
  ['records creations replayed at once', eventOfReplay, /creates one order when repeated at once/],
  ['records changes replayed at once', eventOfReplay, /changes once when repeated at once/],
  ['records a replayed deletion', eventOfReplay, /replays a deletion/],
  ['records what changed nothing, without telling', recordingMore('nothing'), /records nothing when nothing changes/],
  ['touches an order that the judge kept', touchingRefused('no'), /refusal of the judge/],
  ['touches an order whose change is refused', touchingRefused('no'), /refusal of the change/],
  [
    'touches an order refused for its customer',
    touchingRefused('unknown_customer'),
    /updating .* refuses a customer that/,
  ],
  ['finds an order refused for its customer', touchingRefused('unknown_customer'), /creating .* refuses a customer/],
  ['touches an order refused for its reference', touchingRefused('reference_taken'), /refused to a change/],
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
    /another owner's order is not found, changed or deleted/,
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
    /and its deletion leave it deleted/,
  ],
];

describe('the contract of the order port, on what is left behind,', () => {
  itCatches(orderRepositoryContract, faults);
});
