import type { Order } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { err } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';

/** Injects a store that loses the events that are not `stored`. */
const keepingEvents =
  (stored: (type: string) => boolean): Fault[1] =>
  (correct) => ({ events: async (owner) => (await correct.events(owner)).filter(({ type }) => stored(type)) });

/** Injects a store whose `find` alters orders. */
const reading =
  (read: (order: Order) => Order): Fault[1] =>
  ({ orders }) => ({ orders: { find: (owner, id) => orders.find(owner, id).map(read) } });

const faults: readonly Fault[] = [
  [
    'stores an order without its event',
    keepingEvents((type) => type !== 'order.placed'),
    /creating .* records the event/,
  ],
  [
    'stores a change without its event',
    keepingEvents((type) => !/changed|paid/.test(type)),
    /one event with each change/,
  ],
  ['deletes without an event', keepingEvents((type) => type !== 'order.deleted'), /deleting .* records the event/],
  [
    'accepts a nonexistent customer',
    ({ orders }) => ({
      orders: {
        insert: (owner, { order, event }, idempotency) =>
          orders
            .insert(owner, { order, event }, idempotency)
            .orElse((error) =>
              error.type === 'unknown_customer'
                ? orders.insert(owner, { order: { ...order, customer_id: null }, event }, idempotency)
                : err(error),
            ),
      },
    }),
    /creating .* rejects an unknown customer/,
  ],
  [
    'accepts a change to a nonexistent customer',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).orElse((error) => {
            if (!isErrorOf(error, 'unknown_customer')) return err(error);
            const withoutCustomer = (before: Order) =>
              change(before).map(({ order, event }) => ({ order: { ...order, customer_id: null }, event }));
            return orders.update(owner, id, withoutCustomer, idempotency);
          }),
      },
    }),
    /updating .* rejects an unknown customer/,
  ],
  [
    'loses a metadata key of __proto__',
    reading((order) => ({ ...order, metadata: Object.assign({}, order.metadata) })),
    /stores every field unchanged/,
  ],
  [
    'sorts the items',
    reading((order) => ({ ...order, items: order.items.toSorted((left, right) => (left.sku < right.sku ? -1 : 1)) })),
    /items in their order/,
  ],
  [
    'truncates times to seconds',
    reading((order) => ({ ...order, paid_at: order.paid_at && order.paid_at.replace(/\.\d+/, '.000') })),
    /stores the time at which each status was entered/,
  ],
  ['loses the cancellation reason', reading((order) => ({ ...order, cancel_reason: null })), /every field that may/],
];

describe('the contract of the order port, on fields,', () => {
  itCatches(orderRepositoryContract, faults);
});
