import type { Order, OrderEvent } from '@orders/domain';
import { anEventOf, anOrder, orderRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok, okAsync, type Result } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';
import { changingStale } from './faulty-stores.ts';

/** Returns the restored order of a faulty store if there is one, and the error otherwise. */
const restoredOr = <E>(order: Order | undefined, error: E): Result<Order, E> => (order ? ok(order) : err(error));

const faults: readonly Fault[] = [
  [
    'records the event of a change, but does not store the change',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) => {
          let decided: Order | undefined;
          const onlyEvent = (order: Order) =>
            change(order).map((decision) => {
              decided = decision.order;
              return { order: { ...order, version: decided.version }, event: decision.event };
            });
          return orders.update(owner, id, onlyEvent, idempotency).map((it) => ({ ...it, order: decided ?? it.order }));
        },
      },
    }),
    /updating .* stores every field that may change/,
  ],
  [
    'records the event of a rejected order',
    ({ orders, ...correct }) => {
      const failed: OrderEvent[] = [];
      return {
        orders: {
          insert: (owner, placed, idempotency) =>
            orders.insert(owner, placed, idempotency).mapErr((error) => {
              failed.push(placed.event);
              return error;
            }),
        },
        events: async (owner) => [...(await correct.events(owner)), ...failed.filter((event) => event.owner === owner)],
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
            (before) =>
              change(before).map(({ order, event }) => {
                const touched = { ...before, version: before.version + 1 };
                return event ? { order, event } : { order: touched, event: anEventOf(owner, touched) };
              }),
            idempotency,
          ),
      },
    }),
    /records nothing when nothing changes/,
  ],
  ['loses one of two concurrent changes', changingStale, /concurrent changes .* all apply, .* none is lost/],
  [
    'returns unavailable on contention',
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
    'restores a deleted order by a concurrent change',
    ({ orders }) => {
      const restored = new Map<string, Order>();
      return {
        orders: {
          find: (owner, id) => orders.find(owner, id).orElse((error) => restoredOr(restored.get(id), error)),
          update: (owner, id, change, idempotency) =>
            orders.find(owner, id).andThen((stale) =>
              orders.update(owner, id, change, idempotency).mapErr((error) => {
                change(stale).map(({ order }) => restored.set(id, order));
                return error;
              }),
            ),
        },
      };
    },
    /never restore an order/,
  ],
  [
    'reports a deletion, but does not delete',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, decide) =>
          orders
            .find(owner, id)
            .andThen(decide)
            .map((event) => ({ event, replayed: false })),
      },
    }),
    /deleting .* removes the order/,
  ],
  [
    'deletes an aggregate against the decision',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, decide, idempotency) =>
          orders.delete(
            owner,
            id,
            (order) => ok(decide(order).unwrapOr(anEventOf(owner, order, { type: 'order.deleted' }))),
            idempotency,
          ),
      },
    }),
    /error of decide/,
  ],
  [
    'deletes a nonexistent order',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, decide, idempotency) =>
          orders
            .delete(owner, id, decide, idempotency)
            .orElse((error) =>
              isErrorOf(error, 'order_not_found') ? okAsync({ event: null, replayed: false }) : errAsync(error),
            ),
      },
    }),
    /returns order_not_found for a deleted order/,
  ],
  [
    'calls change for a nonexistent order',
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
