import type { Idempotency } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

/** Injects a store that alters idempotency keys. */
const reading =
  (read: (idempotency: Idempotency) => Idempotency): Fault[1] =>
  ({ orders }) => {
    const other = (idempotency: Idempotency | undefined) => idempotency && read(idempotency);
    return {
      orders: {
        insert: (owner, placed, idempotency) => orders.insert(owner, placed, other(idempotency)),
        update: (owner, id, change, idempotency) => orders.update(owner, id, change, other(idempotency)),
        delete: (owner, id, decide, idempotency) => orders.delete(owner, id, decide, other(idempotency)),
      },
    };
  };

const faults: readonly Fault[] = [
  [
    'ignores the key of a creation',
    ({ orders }) => ({ orders: { insert: (owner, placed) => orders.insert(owner, placed) } }),
    /with an idempotency key creates one order for any number/,
  ],
  [
    'ignores the key of a change',
    ({ orders }) => ({ orders: { update: (owner, id, change) => orders.update(owner, id, change) } }),
    /with an idempotency key applies a change once/,
  ],
  [
    'ignores the key of a deletion',
    ({ orders }) => ({ orders: { delete: (owner, id, decide) => orders.delete(owner, id, decide) } }),
    /with an idempotency key replays a deletion/,
  ],
  [
    'ignores the key of a change without effect',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders
            .find(owner, id)
            .andThen(change)
            .map(({ event }) => event === null)
            .orElse(() => okAsync(false))
            .andThen((isNothing) => orders.update(owner, id, change, isNothing ? undefined : idempotency)),
      },
    }),
    /with an idempotency key replays a change without effect/,
  ],
  [
    'ignores fingerprints',
    reading((idempotency) => ({ ...idempotency, fingerprint: 'any' })),
    /rejects the key of another command/,
  ],
  [
    'never expires keys',
    reading((idempotency) => ({ ...idempotency, expires_at: '9999-12-31T23:59:59.999Z' })),
    /can use a key again after it expires/,
  ],
  [
    'expires keys a millisecond too late',
    reading((idempotency) => ({ ...idempotency, now: new Date(Date.parse(idempotency.now) - 1).toISOString() })),
    /can use a key again after it expires/,
  ],
  [
    'expires keys immediately',
    reading((idempotency) => ({ ...idempotency, expires_at: idempotency.now })),
    /creates one order for any number/,
  ],
  [
    'replays the newest order for a creation',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).andThen((it) =>
            orders
              .find(owner, it.order.id)
              .map((order) => ({ ...it, order }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /returns the first result/,
  ],
  [
    'replays the newest order for a change',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).andThen((it) =>
            orders
              .find(owner, it.order.id)
              .map((order) => ({ ...it, order }))
              .orElse(() => okAsync(it)),
          ),
      },
    }),
    /replays a change without effect/,
  ],
  [
    'erases a deleted order from recorded results',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders
            .update(owner, id, change, idempotency)
            .andThen((it) => (it.replayed ? orders.find(owner, id).map(() => it) : okAsync(it))),
      },
    }),
    /a change of an order deleted since/,
  ],
  [
    'does not report replays',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).map((it) => ({ ...it, replayed: false })),
      },
    }),
    /returns the first result/,
  ],
  [
    'replays an event',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).map((it) => ({ ...it, event: placed.event })),
      },
    }),
    /returns the first result/,
  ],
  [
    'sorts the metadata of a replay',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).map((it) => {
            const metadata = Object.fromEntries(
              Object.entries(it.order.metadata).toSorted(([left], [right]) => (left < right ? -1 : 1)),
            );
            return { ...it, order: { ...it.order, metadata } };
          }),
      },
    }),
    /returns the first result/,
  ],
];

describe('the contract of the order port, on idempotency,', () => {
  itCatches(orderRepositoryContract, faults);
});
