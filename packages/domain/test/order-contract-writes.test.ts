import type { Order, OrderEvent } from '@orders/domain';
import { anEventOf, anOrder, orderRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';
import { unlessTaken } from './faulty-stores.ts';

const faults: readonly Fault[] = [
  [
    'records the event of a change, but does not keep the change',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) => {
          let decided: Order | undefined;
          const onlyEvent = (order: Order) =>
            change(order).map((decision) => {
              decided = decision.order;
              return { order, event: decision.event };
            });
          return orders.update(owner, id, onlyEvent, idempotency).map((it) => ({ ...it, order: decided ?? it.order }));
        },
      },
    }),
    /updating .* stores every field that may change/,
  ],
  [
    'records the event of an order that it refuses',
    ({ orders, ...correct }) => {
      const refused: OrderEvent[] = [];
      return {
        orders: {
          insert: (owner, placed, idempotency) =>
            orders.insert(owner, placed, idempotency).mapErr((error) => {
              refused.push(placed.event);
              return error;
            }),
        },
        events: async (owner) => [
          ...(await correct.events(owner)),
          ...refused.filter((event) => event.owner === owner),
        ],
      };
    },
    /creating .* stores nothing/,
  ],
  [
    'records an event when nothing changes',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(
            owner,
            id,
            (before) => change(before).map(({ order, event }) => ({ order, event: event ?? anEventOf(owner, order) })),
            idempotency,
          ),
      },
    }),
    /records nothing when nothing changes/,
  ],
  [
    'loses a change that another overtakes',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.find(owner, id).andThen((stale) => orders.update(owner, id, () => change(stale), idempotency)),
      },
    }),
    /concurrent changes .* all apply, .* none is lost/,
  ],
  [
    'answers contention with unavailable',
    ({ orders }) => {
      const busy = new Set<string>();
      return {
        orders: {
          update: (owner, id, change, idempotency) => {
            if (busy.has(id)) return errAsync({ type: 'unavailable', cause: 'contention' });
            busy.add(id);
            const done = <T>(outcome: T): T => {
              busy.delete(id);
              return outcome;
            };
            return orders.update(owner, id, change, idempotency).map(done).mapErr(done);
          },
        },
      };
    },
    /concurrent changes .* all apply, .* none is lost/,
  ],
  [
    'brings a deleted order back with a change that was under way',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.find(owner, id).andThen((stale) =>
            orders
              .update(owner, id, () => change(stale), idempotency)
              .orElse((error) =>
                change(stale).match(
                  ({ order, event }) =>
                    unlessTaken(orders.insert(owner, { order, event: event ?? anEventOf(owner, order) })),
                  () => errAsync(error),
                ),
              ),
          ),
      },
    }),
    /never restore an order/,
  ],
  [
    'says that it deleted, but does not',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, judge) =>
          orders
            .find(owner, id)
            .andThen(judge)
            .map((event) => ({ event, replayed: false })),
      },
    }),
    /deleting .* removes the order/,
  ],
  [
    'deletes against the judge',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, judge, idempotency) =>
          orders.delete(owner, id, (order) => ok(judge(order).unwrapOr(anEventOf(owner, order))), idempotency),
      },
    }),
    /error of decide/,
  ],
  [
    'deletes what is not there',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, judge, idempotency) =>
          orders
            .delete(owner, id, judge, idempotency)
            .orElse((error) =>
              isRefusal(error, 'order_not_found') ? okAsync({ event: null, replayed: false }) : errAsync(error),
            ),
      },
    }),
    /returns order_not_found for a deleted order/,
  ],
  [
    'asks for a change of an order that is not there',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).orElse((error) => {
            change(anOrder({ id }));
            return err(error);
          }),
      },
    }),
    /without calling change/,
    /: change was called/,
  ],
];

describe('the contract of the order port, on writes,', () => {
  itCatches(orderRepositoryContract, faults);
});
