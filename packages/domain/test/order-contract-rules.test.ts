import { type AggregateStore, type Order, type OrderRepository, parseOrderQuery } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches } from './contract-faults.ts';

type Commit = OrderRepository['commit'];
type Write = Parameters<Commit>[1];

const EVERYTHING = parseOrderQuery({ sort: 'created_at', limit: 100 })._unsafeUnwrap();

/** Injects a store whose commits are made of the correct methods. */
const committing =
  (commit: (orders: OrderRepository, ...args: Parameters<Commit>) => ReturnType<Commit>): Fault[1] =>
  ({ orders }) => ({ orders: { commit: (owner, write) => commit(orders, owner, write) } });

/** Injects a store that alters the orders that it loads. */
const loading =
  (alter: (order: Order) => Order): Fault[1] =>
  ({ orders }) => ({
    orders: {
      load: (owner, id) =>
        orders.load(owner, id).map((found) => found && { ...found, aggregate: alter(found.aggregate) }),
    },
  });

/** Returns the order that a write stores, if any. */
function after(write: Write): Order | null {
  return write.kind === 'create' || write.kind === 'change' ? write.after : null;
}

/** Injects a store that refuses a reference whose `spelling` another order ever had, even a deleted one. */
const neverFreeing = (spelling: (owner: string, reference: string | null) => string | null): Fault[1] => {
  return ({ orders }) => {
    const holders = new Map<string, string>();
    return {
      orders: {
        commit: (owner, write) => {
          const order = after(write);
          const name = order && spelling(owner, order.reference);
          const holder = name === null ? undefined : holders.get(name);
          if (order && holder !== undefined && holder !== order.id)
            return errAsync({ type: 'refused', reason: { type: 'reference_taken', order_id: holder } });
          return orders.commit(owner, write).map((written) => {
            if (order && name !== null) holders.set(name, order.id);
            return written;
          });
        },
      },
    };
  };
};

/** Injects a store that stores an order without what a rule refuses. */
const accepting = (
  type: 'reference_taken' | 'unknown_customer',
  without: Partial<Order>,
  isAccepted: (write: Write, holder: Order | undefined) => boolean = () => true,
): Fault[1] =>
  committing((orders, owner, write) => {
    const order = after(write);
    const holders = orders.list(owner, { ...EVERYTHING, reference: order?.reference ?? '' });
    return holders.andThen(({ data: [holder] }) =>
      orders.commit(owner, write).orElse((error) => {
        const isRefused = error.type === 'refused' && error.reason.type === type;
        if (!isRefused || (write.kind !== 'create' && write.kind !== 'change') || !isAccepted(write, holder))
          return errAsync(error);
        return orders.commit(owner, { ...write, after: { ...write.after, ...without } });
      }),
    );
  });

const references: readonly Fault[] = [
  ["minds others' references", neverFreeing((_, reference) => reference), /free .* in the orders of another owner/],
  [
    'does not free a reference after a deletion',
    neverFreeing((owner, reference) => reference && `${owner}: ${reference}`),
    /reference is free after a deletion/,
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
  [
    'accepts a reference twice',
    accepting('reference_taken', { reference: null }, ({ kind }) => kind === 'create'),
    /reference is refused to a second order/,
  ],
  [
    'accepts a change to the reference of another order',
    accepting('reference_taken', { reference: null }, ({ kind }) => kind === 'change'),
    /reference is refused to a second order/,
  ],
  [
    'frees the reference of a cancelled order',
    accepting('reference_taken', { reference: null }, (_, holder) => holder?.status === 'cancelled'),
    /reference is refused .* even a cancelled one/,
  ],
  [
    'accepts a reference twice concurrently',
    accepting('reference_taken', { reference: null }, (_, holder) => !holder),
    /reference is given to one of many/,
  ],
  [
    'reports the new order as the holder of a reference',
    committing((orders, owner, write) =>
      orders
        .commit(owner, write)
        .mapErr((error) =>
          error.type === 'refused' && error.reason.type === 'reference_taken'
            ? { ...error, reason: { ...error.reason, order_id: after(write)?.id ?? '' } }
            : error,
        ),
    ),
    /with the id of the holder/,
  ],
  [
    'accepts a nonexistent customer',
    accepting('unknown_customer', { customer_id: null }, ({ kind }) => kind === 'create'),
    /customer of an order must exist/,
  ],
  [
    'accepts a change to a nonexistent customer',
    accepting('unknown_customer', { customer_id: null }, ({ kind }) => kind === 'change'),
    /customer of an order must exist/,
  ],
  [
    'checks the reference before the customer',
    committing((orders, owner, write) => {
      const { reference = null, id = '' } = after(write) ?? {};
      if (reference === null) return orders.commit(owner, write);
      return orders
        .list(owner, { ...EVERYTHING, reference })
        .andThen(({ data: [holder] }) =>
          holder && holder.id !== id
            ? errAsync({ type: 'refused' as const, reason: { type: 'reference_taken' as const, order_id: holder.id } })
            : orders.commit(owner, write),
        );
    }),
    /is refused before a reference/,
  ],
  [
    'stores a locked change that a rule refuses',
    ({ orders }) => ({ orders: { commitLocked: acceptingLocked(orders) } }),
    /a locked commit to orders stores no change that a rule refuses/,
  ],
];

/** Returns a locked commit that reports a refused write as stored. */
function acceptingLocked<A, E, R>(store: AggregateStore<A, E, R>): AggregateStore<A, E, R>['commitLocked'] {
  return (owner, id, lookUp, decide) =>
    store
      .commitLocked(owner, id, lookUp, decide)
      .orElse((error) =>
        error.type === 'refused'
          ? store.commitLocked(owner, id, lookUp, (found) => ({ ...decide(found), write: null }))
          : errAsync(error),
      );
}

const fields: readonly Fault[] = [
  [
    'stores a name in ASCII',
    loading((order) => ({
      ...order,
      items: order.items.map((item) => ({ ...item, name: item.name.replaceAll(/[^\0-~]/g, '?') })),
    })),
    /every field of a new order/,
  ],
  [
    'stores amounts in 32 bits',
    loading((order) => ({ ...order, total: { ...order.total, amount: order.total.amount | 0 } })),
    /every field of a new order/,
  ],
  [
    'stores only one line of a note',
    loading((order) => ({ ...order, note: order.note?.split('\n')[0] ?? null })),
    /every field of a new order/,
  ],
  [
    'trims references',
    loading((order) => ({ ...order, reference: order.reference?.trim() ?? null })),
    /is compared exactly/,
  ],
  [
    'returns an empty reference instead of null',
    loading((order) => ({ ...order, reference: order.reference ?? '' })),
    /may be absent/,
  ],
  [
    'loses an item without a price',
    loading((order) => ({ ...order, items: order.items.filter(({ unit_price }) => unit_price.amount > 0) })),
    /every field of a new order/,
  ],
  ...['__proto__', 'constructor', '10', 'created_at'].map((name): Fault => [
    `loses a metadata key of ${name}`,
    loading((order) => ({
      ...order,
      metadata: Object.fromEntries(Object.entries(order.metadata).filter(([key]) => key !== name)),
    })),
    /every field of a new order/,
  ]),
  [
    'sorts the items',
    loading((order) => ({ ...order, items: order.items.toSorted((left, right) => (left.sku < right.sku ? -1 : 1)) })),
    /items in their order/,
  ],
  [
    'truncates times to seconds',
    loading((order) => ({ ...order, paid_at: order.paid_at && order.paid_at.replace(/\.\d+/, '.000') })),
    /the time at which each status was entered/,
  ],
  [
    'loses the cancellation reason',
    loading((order) => ({ ...order, cancel_reason: null })),
    /every field that a change/,
  ],
  [
    'merges metadata instead of replacing it',
    committing((orders, owner, write) => {
      if (write.kind !== 'change') return orders.commit(owner, write);
      const metadata = { ...write.before.aggregate.metadata, ...write.after.metadata };
      return orders.commit(owner, { ...write, after: { ...write.after, metadata } });
    }),
    /every field that a change/,
  ],
];

describe('the contract of the order port, on its rules and fields,', () => {
  itCatches(orderRepositoryContract, [...references, ...fields]);
});
