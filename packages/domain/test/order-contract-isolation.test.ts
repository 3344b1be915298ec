import type { Order, OrderRepository } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';

/** Injects a store that shares the object that one of the operations `ways` stored or read first with every caller. */
const sharing =
  (...ways: readonly ('argument' | 'insert' | 'find' | 'list' | 'update')[]): Fault[1] =>
  ({ orders }) => {
    const stored = new Map<string, Order>();
    const keep = (way: (typeof ways)[number], order: Order): Order => {
      if (ways.includes(way)) stored.set(order.id, order);
      return order;
    };
    return {
      orders: {
        insert: (owner, placed, idempotency) => {
          keep('argument', placed.order);
          return orders.insert(owner, placed, idempotency).map((it) => ({ ...it, order: keep('insert', it.order) }));
        },
        find: (owner, id) =>
          orders.find(owner, id).map((found) => {
            const leak = stored.get(id);
            if (!leak) return keep('find', found);
            return ways.includes('find') ? leak : structuredClone(leak);
          }),
        list: (owner, query) =>
          orders.list(owner, query).map((page) => {
            for (const order of page.data) keep('list', order);
            return page;
          }),
        update: (owner, id, change, idempotency) => {
          stored.delete(id);
          return orders
            .update(owner, id, change, idempotency)
            .map((it) => ({ ...it, order: keep('update', it.order) }));
        },
      },
    };
  };

/** Injects a store whose replaced methods find orders by id alone, for every owner. */
const ignoringOwners =
  (methods: (orders: OrderRepository, owners: OwnersById) => Partial<OrderRepository>): Fault[1] =>
  ({ orders }) => {
    const owners = new OwnersById();
    const insert: OrderRepository['insert'] = (owner, placed, idempotency) => {
      owners.note(placed.order.id, owner);
      return orders.insert(owner, placed, idempotency);
    };
    return { orders: { insert, ...methods(orders, owners) } };
  };

const faults: readonly Fault[] = [
  [
    "finds another owner's order",
    ignoringOwners((orders, owners) => ({
      find: (owner, id) => orders.find(owners.of(id, owner), id),
    })),
    /another owner's order cannot be found/,
  ],
  [
    'lists orders of other owners',
    ignoringOwners((orders, owners) => ({
      list: (_, query) =>
        ResultAsync.combine(owners.all().map((owner) => orders.list(owner, query))).map((pages) => ({
          data: pages.flatMap(({ data }) => data),
          next: null,
        })),
    })),
    /another owner's order is not listed/,
  ],
  [
    "changes another owner's order",
    ignoringOwners((orders, owners) => ({
      update: (owner, id, change, idempotency) => orders.update(owners.of(id, owner), id, change, idempotency),
    })),
    /another owner's order cannot be found, changed/,
  ],
  [
    "deletes another owner's order",
    ignoringOwners((orders, owners) => ({
      delete: (owner, id, decide, idempotency) => orders.delete(owners.of(id, owner), id, decide, idempotency),
    })),
    /another owner's order cannot be found, changed or deleted/,
  ],
  [
    "minds others' keys",
    ({ orders }) => {
      const holders = new Map<string, string>();
      return {
        orders: {
          insert: (owner, placed, idempotency) => {
            if (idempotency && (holders.get(idempotency.key) ?? owner) !== owner)
              return errAsync({ type: 'idempotency_key_reused' });
            if (idempotency) holders.set(idempotency.key, owner);
            return orders.insert(owner, placed, idempotency);
          },
        },
      };
    },
    /another owner's order .* does not reserve its reference and keys/,
  ],
  ['stores the order argument without a copy', sharing('argument'), /copies arguments and results/],
  ['returns the stored object from an insert', sharing('insert'), /copies arguments and results/],
  ['returns the stored object from a find', sharing('find'), /copies arguments and results/],
  ['returns stored objects from a list', sharing('list'), /after the copies .* were changed/],
  ['returns the stored object from an update', sharing('update'), /after the copies .* were changed/],
];

describe('the contract of the order port, on isolation,', () => {
  itCatches(orderRepositoryContract, faults);
});
