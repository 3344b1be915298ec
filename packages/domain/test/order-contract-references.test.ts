import { type Order, parseOrderQuery } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { err, errAsync, ok } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';

/** Injects a store that rejects a reference whose `spelling` another order ever had, even a deleted one. */
const neverFreeing =
  (spelling: (owner: string, reference: string | null) => string | null): Fault[1] =>
  ({ orders }) => {
    const holders = new Map<string, string>();
    return {
      orders: {
        insert: (owner, placed, idempotency) => {
          const name = spelling(owner, placed.order.reference);
          const order_id = name === null ? undefined : holders.get(name);
          if (order_id !== undefined) return errAsync({ type: 'reference_taken', order_id });
          if (name !== null) holders.set(name, placed.order.id);
          return orders.insert(owner, placed, idempotency);
        },
      },
    };
  };

/** Injects a store that accepts a second order with a reference if `isFree`. The correct store stores no reference. */
const acceptingReferences =
  (isFree: (holder: Order | undefined) => boolean): Fault[1] =>
  ({ orders }) => ({
    orders: {
      insert: (owner, { order, event }, idempotency) => {
        const { reference } = order;
        const holders = orders.list(owner, { ...EVERYTHING, reference }).map(({ data }) => data[0]);
        return holders.andThen((holder) =>
          orders
            .insert(owner, { order, event }, idempotency)
            .orElse((error) =>
              error.type === 'reference_taken' && isFree(holder)
                ? orders
                    .insert(owner, { order: { ...order, reference: null }, event }, idempotency)
                    .map((it) => ({ ...it, order }))
                : err(error),
            ),
        );
      },
    },
  });

const EVERYTHING = parseOrderQuery({ sort: 'created_at', limit: 100 })._unsafeUnwrap();

const faults: readonly Fault[] = [
  ["minds others' references", neverFreeing((_, reference) => reference), /does not reserve its reference and keys/],
  [
    'does not free a reference after a deletion',
    neverFreeing((owner, reference) => reference && `${owner}: ${reference}`),
    /deleting an order frees the reference/,
  ],
  [
    'compares references without case',
    neverFreeing((owner, reference) => reference && `${owner}: ${reference.toLowerCase()}`),
    /reference is compared exactly/,
  ],
  [
    'compares references without composition',
    neverFreeing((owner, reference) => reference && `${owner}: ${reference.normalize()}`),
    /reference is compared exactly/,
  ],
  [
    'accepts only one order without a reference',
    neverFreeing((owner, reference) => `${owner}: ${reference}`),
    /may be absent/,
  ],
  ['accepts a reference twice', acceptingReferences(() => true), /an order reference is rejected for a second order/],
  [
    'frees the reference of a cancelled order',
    acceptingReferences((holder) => holder?.status === 'cancelled'),
    /reference is rejected .* even a cancelled one/,
  ],
  [
    'accepts a reference twice concurrently',
    acceptingReferences((holder) => !holder),
    /reference is given to one of many/,
  ],
  [
    'accepts a change to the reference of another order',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).orElse((error) => {
            if (!isErrorOf(error, 'reference_taken')) return err(error);
            const withoutReference = (before: Order) =>
              change(before).map(({ order, event }) => ({ order: { ...order, reference: null }, event }));
            return orders.update(owner, id, withoutReference, idempotency);
          }),
      },
    }),
    /reference is rejected for a change/,
  ],
  [
    'reports the new order as the holder of a reference',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders
            .insert(owner, placed, idempotency)
            .mapErr((error) => (error.type === 'reference_taken' ? { ...error, order_id: placed.order.id } : error)),
      },
    }),
    /reference is rejected .* with the id of the holder/,
  ],
  [
    'checks the reference before the customer',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) => {
          const { reference } = placed.order;
          if (reference === null) return orders.insert(owner, placed, idempotency);
          return orders
            .list(owner, { ...EVERYTHING, reference })
            .andThen(({ data: [holder] }) =>
              holder ? err({ type: 'reference_taken' as const, order_id: holder.id }) : ok(null),
            )
            .andThen(() => orders.insert(owner, placed, idempotency));
        },
      },
    }),
    /reference is checked after the customer/,
  ],
];

describe('the contract of the order port, on references,', () => {
  itCatches(orderRepositoryContract, faults);
});
