import type { Order, OrderRepository } from '@orders/domain';
import {
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
  type StoreSubject,
  type TestRunner,
} from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
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

/** Injects a store that alters the orders that it loads. */
const reading = (read: (order: Order<Bakery>) => object) =>
  withOrders((orders) => ({
    load: (owner, id) =>
      orders
        .load(owner, id)
        .map((found) => found && { aggregate: Object.assign({}, found.aggregate, read(found.aggregate)) }),
  }));

/** Injects a store that alters the orders that it stores. */
const storing = (alter: (after: Order<Bakery>, before: Order<Bakery> | null) => object) =>
  withOrders((orders) => ({
    commit: (owner, write) => {
      if (write.kind !== 'create' && write.kind !== 'change') return orders.commit(owner, write);
      const before = write.kind === 'change' ? write.before.aggregate : null;
      return orders.commit(owner, { ...write, after: Object.assign({}, write.after, alter(write.after, before)) });
    },
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
    /custom data .* stored, replaced and removed/,
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
    storing(({ custom }, before) => ({ custom: before ? Object.assign({}, before.custom, custom) : custom })),
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
        commit: (owner, write) => {
          if (write.kind !== 'create') return orders.commit(owner, write);
          kept.set(write.after.id, write.after.custom);
          return orders.commit(owner, { ...write, after: { ...write.after, custom: null } });
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
    'is unavailable for custom data that its parser does not accept',
    withOrders((orders) => ({
      commit: (owner, write) => {
        const custom = write.kind === 'create' ? write.after.custom : null;
        const parsed = custom === null ? null : BAKERY.custom.parse(custom);
        return parsed?.isErr() ? errAsync({ type: 'unavailable', cause: parsed.error }) : orders.commit(owner, write);
      },
    })),
    /custom data .* stored, replaced and removed/,
  ],
  [
    'returns custom data without a copy',
    withOrders((orders) => {
      const shared = new Map<string, Order<Bakery>['custom']>();
      return {
        load: (owner, id) =>
          orders.load(owner, id).map((found) => {
            if (!found) return null;
            const custom = shared.get(id) ?? found.aggregate.custom;
            shared.set(id, custom);
            return { aggregate: { ...found.aggregate, custom } };
          }),
      };
    }),
    /custom data .* is returned as a copy/,
  ],
  ['loses the time of a status', reading(() => ({ ready_at: null })), /the time at which each status was entered/],
  [
    'keeps the first time of a status',
    storing((after, before) => ({ ready_at: before?.ready_at ?? after.ready_at })),
    /the last time of each status that was entered again/,
  ],
];

describe('the contract of the order port, on a definition with custom data,', () => {
  const contract = (runner: TestRunner, open: OpenSubject<Bakery>) => orderRepositoryContract(runner, open, BAKERY);
  itCatchesFaults(contract, aCorrectStore, faults);
});
