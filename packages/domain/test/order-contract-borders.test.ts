import type { Order, OrderRepository } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';

/** Hands out what it keeps itself: one object for all who ask, first seen by the named ways. */
const leaking =
  (...ways: readonly ('argument' | 'insert' | 'find' | 'list' | 'update')[]): Fault[1] =>
  ({ orders }) => {
    const kept = new Map<string, Order>();
    const keep = (way: (typeof ways)[number], order: Order): Order => {
      if (ways.includes(way)) kept.set(order.id, order);
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
            const leak = kept.get(id);
            if (!leak) return keep('find', found);
            return ways.includes('find') ? leak : structuredClone(leak);
          }),
        list: (owner, query) =>
          orders.list(owner, query).map((page) => {
            for (const order of page.data) keep('list', order);
            return page;
          }),
        update: (owner, id, change, idempotency) => {
          kept.delete(id);
          return orders
            .update(owner, id, change, idempotency)
            .map((it) => ({ ...it, order: keep('update', it.order) }));
        },
      },
    };
  };

/** Looks by the id alone, whoever asks, by the methods that `look` gives. */
const knowingOwners =
  (look: (orders: OrderRepository, owners: OwnersById) => Partial<OrderRepository>): Fault[1] =>
  ({ orders }) => {
    const owners = new OwnersById();
    const insert: OrderRepository['insert'] = (owner, placed, idempotency) => {
      owners.note(placed.order.id, owner);
      return orders.insert(owner, placed, idempotency);
    };
    return { orders: { insert, ...look(orders, owners) } };
  };

const faults: readonly Fault[] = [
  [
    "finds another owner's order",
    knowingOwners((orders, owners) => ({
      find: (owner, id) => orders.find(owners.of(id, owner), id),
    })),
    /another owner's order cannot be found/,
  ],
  [
    "lists others' orders",
    knowingOwners((orders, owners) => ({
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
    knowingOwners((orders, owners) => ({
      update: (owner, id, change, idempotency) => orders.update(owners.of(id, owner), id, change, idempotency),
    })),
    /another owner's order cannot be found, changed/,
  ],
  [
    "deletes another owner's order",
    knowingOwners((orders, owners) => ({
      delete: (owner, id, judge, idempotency) => orders.delete(owners.of(id, owner), id, judge, idempotency),
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
  ['keeps the order that it was given itself', leaking('argument'), /copies arguments and results/],
  ['hands out of an insert what it keeps', leaking('insert'), /copies arguments and results/],
  ['hands out of a find what it keeps', leaking('find'), /copies arguments and results/],
  ['hands out of a list what it keeps', leaking('list'), /after the copies .* were changed/],
  ['hands out of an update what it keeps', leaking('update'), /after the copies .* were changed/],
];

describe('the contract of the order port, on borders,', () => {
  itCatches(orderRepositoryContract, faults);
});
