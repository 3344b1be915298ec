import type { Order } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { err } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';

/** A store that forgets the events that are not `kept`. */
const keepingEvents =
  (kept: (type: string) => boolean): Fault[1] =>
  (correct) => ({ events: async (owner) => (await correct.events(owner)).filter(({ type }) => kept(type)) });

/** A store that hands out orders as `read` makes them. */
const reading =
  (read: (order: Order) => Order): Fault[1] =>
  ({ orders }) => ({ orders: { find: (owner, id) => orders.find(owner, id).map(read) } });

const faults: readonly Fault[] = [
  [
    'keeps an order without its event',
    keepingEvents((type) => type !== 'order.placed'),
    /creating .* records the event/,
  ],
  [
    'keeps a change without its event',
    keepingEvents((type) => !/changed|paid/.test(type)),
    /one event with each change/,
  ],
  ['deletes without an event', keepingEvents((type) => type !== 'order.deleted'), /deleting .* records the event/],
  [
    'accepts a customer that is not there',
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
    'accepts a change to a customer that is not there',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).orElse((error) => {
            if (!isRefusal(error, 'unknown_customer')) return err(error);
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
    'cuts times to whole seconds',
    reading((order) => ({ ...order, paid_at: order.paid_at && order.paid_at.replace(/\.\d+/, '.000') })),
    /stores the time at which each status was entered/,
  ],
  [
    'forgets why an order was cancelled',
    reading((order) => ({ ...order, cancel_reason: null })),
    /every field that may/,
  ],
];

describe('the contract of the order port, on fields,', () => {
  itCatches(orderRepositoryContract, faults);
});
