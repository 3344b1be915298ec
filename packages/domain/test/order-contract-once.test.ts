import type { Idempotency } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

/** A store that takes its keys for something else than they are. */
const reading =
  (read: (idempotency: Idempotency) => Idempotency): Fault[1] =>
  ({ orders }) => {
    const other = (idempotency: Idempotency | undefined) => idempotency && read(idempotency);
    return {
      orders: {
        insert: (owner, placed, idempotency) => orders.insert(owner, placed, other(idempotency)),
        update: (owner, id, change, idempotency) => orders.update(owner, id, change, other(idempotency)),
        delete: (owner, id, judge, idempotency) => orders.delete(owner, id, judge, other(idempotency)),
      },
    };
  };

const faults: readonly Fault[] = [
  [
    'forgets the key of a creation',
    ({ orders }) => ({ orders: { insert: (owner, placed) => orders.insert(owner, placed) } }),
    /with a key creates one order however often/,
  ],
  [
    'forgets the key of a change',
    ({ orders }) => ({ orders: { update: (owner, id, change) => orders.update(owner, id, change) } }),
    /with a key changes once when repeated at once/,
  ],
  [
    'forgets the key of a deletion',
    ({ orders }) => ({ orders: { delete: (owner, id, judge) => orders.delete(owner, id, judge) } }),
    /with a key replays a deletion/,
  ],
  [
    'forgets the key of a change that changes nothing',
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
    /with a key replays a change that changed nothing/,
  ],
  [
    'does not tell commands apart',
    reading((idempotency) => ({ ...idempotency, fingerprint: 'any' })),
    /refused under the key of another command/,
  ],
  [
    'remembers keys for ever',
    reading((idempotency) => ({ ...idempotency, expires_at: '9999-12-31T23:59:59.999Z' })),
    /finds a key free again when its time is over/,
  ],
  [
    'remembers keys a millisecond too long',
    reading((idempotency) => ({ ...idempotency, now: new Date(Date.parse(idempotency.now) - 1).toISOString() })),
    /finds a key free again when its time is over/,
  ],
  [
    'forgets keys at once',
    reading((idempotency) => ({ ...idempotency, expires_at: idempotency.now })),
    /creates one order however often/,
  ],
  [
    'replays a creation with the newest order',
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
    /answers as the first time/,
  ],
  [
    'replays a change with the newest order',
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
    /replays a change that changed nothing/,
  ],
  [
    'forgets in its keys an order that was deleted',
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
    'does not say that it replays',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).map((it) => ({ ...it, replayed: false })),
      },
    }),
    /answers as the first time/,
  ],
  [
    'replays with an event',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders.insert(owner, placed, idempotency).map((it) => ({ ...it, event: placed.event })),
      },
    }),
    /answers as the first time/,
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
    /answers as the first time/,
  ],
];

describe('the contract of the order port, on keys,', () => {
  itCatches(orderRepositoryContract, faults);
});
