import type { Order, OrderRepository } from '@orders/domain';
import {
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
  type StoreSubject,
  type TestRunner,
} from '@orders/domain/testing';
import { describe } from 'vitest';
import { BAKERY } from './a-bakery.ts';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';

type Bakery = typeof BAKERY;
type Subject = StoreSubject<Bakery>;
type Orders = OrderRepository<Bakery>;

function aCorrectStore(): Subject {
  const { orders, customers, events } = inMemoryStore({ definition: BAKERY });
  return { orders, customers, events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)) };
}

/** Injects a store with other methods for orders. */
const withOrders =
  (inject: (orders: Orders) => Partial<Orders>): FaultOf<Subject>[1] =>
  (correct) => ({ ...correct, orders: { ...correct.orders, ...inject(correct.orders) } });

/** Injects a store whose `find` alters orders. */
const reading = (read: (order: Order<Bakery>) => object) =>
  withOrders((orders) => ({
    find: (owner, id) => orders.find(owner, id).map((order) => Object.assign({}, order, read(order))),
  }));

/** Returns a deep copy of JSON with what `replace` makes of each member. */
const rewritten = (value: unknown, replace: (key: string, member: unknown) => unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key: string, member: unknown) => replace(key, member));

const sorted = (value: unknown): unknown =>
  rewritten(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );

const faults: readonly FaultOf<Subject>[] = [
  ['loses custom data', reading(() => ({ custom: null })), /custom data .* stored, replaced and removed/],
  [
    'has no member for absent custom data',
    reading(({ custom }) => ({ custom: custom ?? undefined })),
    /custom data .* is null where an order has none/,
  ],
  [
    'loses null in custom data',
    reading(({ custom }) => ({ custom: rewritten(custom, (_, member) => member ?? undefined) })),
    /custom data .* as a whole: an array with null in it/,
  ],
  [
    'rounds numbers of custom data',
    reading(({ custom }) => ({
      custom: rewritten(custom, (_, member) => (typeof member === 'number' ? Math.fround(member) : member)),
    })),
    /custom data .* as a whole: numbers/,
  ],
  [
    'merges custom data instead of replacing it',
    withOrders((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders.update(
          owner,
          id,
          (before) =>
            change(before).map(({ order, event }) => ({
              order: { ...order, custom: Object.assign({}, before.custom, order.custom) },
              event,
            })),
          idempotency,
        ),
    })),
    /custom data .* stored, replaced and removed/,
  ],
  [
    'sorts the members of custom data in versions',
    withOrders((orders) => ({
      findVersion: (owner, id, version) =>
        orders.findVersion(owner, id, version).map((found) => ({
          ...found,
          order: found.order && Object.assign({}, found.order, { custom: sorted(found.order.custom) }),
        })),
    })),
    /custom data .* same JSON text/,
  ],
  [
    'does not count custom data towards a page',
    withOrders((orders) => {
      const kept = new Map<string, Order<Bakery>['custom']>();
      return {
        insert: (owner, { order, event }, idempotency) => {
          kept.set(order.id, order.custom);
          return orders.insert(owner, { order: { ...order, custom: null }, event }, idempotency).map((written) => ({
            ...written,
            order,
          }));
        },
        list: (owner, query) =>
          orders.list(owner, query).map(({ data, next }) => ({
            data: data.map((order) => ({ ...order, custom: kept.get(order.id) ?? null })),
            next,
          })),
      };
    }),
    /a page of orders ends one element earlier/,
  ],
  [
    'rejects custom data that its parser does not accept',
    withOrders((orders) => ({
      insert: (owner, placed, idempotency) => {
        const { custom } = placed.order;
        if (custom !== null) BAKERY.custom.parse(custom)._unsafeUnwrap();
        return orders.insert(owner, placed, idempotency);
      },
    })),
    /custom data .* stored, replaced and removed/,
  ],
  [
    'loses the time of a status',
    reading(() => ({ ready_at: null })),
    /stores the time at which each status was entered/,
  ],
  [
    'keeps the first time of a status',
    withOrders((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders.update(
          owner,
          id,
          (before) =>
            change(before).map(({ order, event }) => ({
              order: { ...order, ready_at: before.ready_at ?? order.ready_at },
              event,
            })),
          idempotency,
        ),
    })),
    /replaces the time of each status that is entered again/,
  ],
];

describe('the contract of the order port, on a definition with custom data,', () => {
  const contract = (runner: TestRunner, open: OpenSubject<Bakery>) => orderRepositoryContract(runner, open, BAKERY);
  itCatchesFaults(contract, aCorrectStore, faults);
});
