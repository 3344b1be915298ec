import type { Order, OrderRepository, OrderWritten } from '@orders/domain';
import { anOrder, orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches } from './contract-faults.ts';
import { changingStale, finding, unavailableInsteadOf, withoutKey } from './faulty-stores.ts';

/** Injects a store that replaces methods of the order repository. */
const having =
  (make: (orders: OrderRepository) => Partial<OrderRepository>): Fault[1] =>
  ({ orders }) => ({ orders: make(orders) });

/** Injects a store that alters the results of creations. */
const creating = (toResult: (written: OrderWritten) => OrderWritten): Fault[1] =>
  having((orders) => ({
    insert: (owner, placed, idempotency) => orders.insert(owner, placed, idempotency).map(toResult),
  }));

/** Injects a store that alters the results of changes. */
const changing = (toResult: (written: OrderWritten) => OrderWritten): Fault[1] =>
  having((orders) => ({
    update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).map(toResult),
  }));

const reading = (order: (order: Order) => Order): Fault[1] => finding({ order });

const firstItem =
  (make: (item: Order['items'][number]) => Partial<Order['items'][number]>): ((order: Order) => Order) =>
  (order) => ({ ...order, items: order.items.map((item) => ({ ...item, ...make(item) })) });

const ascii = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?');

const faults: readonly Fault[] = [
  [
    'returns a creation without its event',
    creating((it) => ({ ...it, event: null })),
    /returns the order and its event/,
  ],
  [
    'returns another order from a creation',
    creating((it) => ({ ...it, order: { ...it.order, note: 'another' } })),
    /leaves the key unused when it fails/,
  ],
  ['stores a SKU in ASCII', reading(firstItem(({ sku }) => ({ sku: ascii(sku) }))), /every field unchanged/],
  ['stores a name in ASCII', reading(firstItem(({ name }) => ({ name: ascii(name) }))), /every field unchanged/],
  [
    'stores amounts in 32 bits',
    reading(firstItem(({ unit_price }) => ({ unit_price: { ...unit_price, amount: unit_price.amount % 2 ** 31 } }))),
    /every field unchanged/,
  ],
  [
    'loses an item without a price',
    reading((order) => ({ ...order, items: order.items.filter(({ total }) => total.amount > 0) })),
    /every field unchanged/,
  ],
  [
    'stores a reference in ASCII',
    reading((order) => ({ ...order, reference: order.reference && ascii(order.reference) })),
    /every field unchanged/,
  ],
  [
    'stores only one line of a note',
    reading((order) => ({ ...order, note: order.note?.split('\n')[0] ?? null })),
    /every field unchanged/,
  ],
  ...['__proto__', 'constructor', '10', '2'].map((key): Fault => [
    `loses a metadata key of ${key}`,
    reading((order) => ({ ...order, metadata: withoutKey(order.metadata, key) })),
    /every field unchanged/,
  ]),
  [
    'returns unavailable for a nonexistent order',
    unavailableInsteadOf('order_not_found'),
    /^finding an order returns order_not_found/,
  ],
  [
    'returns the previous order from a change',
    having((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders
          .find(owner, id)
          .andThen((order) => orders.update(owner, id, change, idempotency).map((it) => ({ ...it, order }))),
    })),
    /every field that may change/,
  ],
  ['returns a change without its event', changing((it) => ({ ...it, event: null })), /records one event with each/],
  ['returns unavailable for a rejected change', unavailableInsteadOf('no'), /error of the change/],
  ['returns unavailable for a rejected deletion', unavailableInsteadOf('no'), /error of decide/],
  [
    'returns unavailable for the key of another command',
    unavailableInsteadOf('idempotency_key_reused'),
    /of several different orders/,
  ],
  [
    'returns unavailable for the key of another change',
    unavailableInsteadOf('idempotency_key_reused'),
    /, even concurrently/,
  ],
  [
    'returns unavailable for a concurrent reference',
    unavailableInsteadOf('reference_taken'),
    /is given to one of many/,
  ],
  [
    'returns unavailable for a concurrently rejected change',
    unavailableInsteadOf('already'),
    /are applied once if only one/,
  ],
  [
    'returns unavailable for a change of a concurrently deleted order',
    having((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders
          .find(owner, id)
          .andThen(() => orders.update(owner, id, change, idempotency))
          .mapErr((error) =>
            isErrorOf(error, 'order_not_found') ? { type: 'unavailable' as const, cause: error } : error,
          ),
    })),
    /never restore an order/,
  ],
  ['accepts two concurrent changes of which only one is allowed', changingStale, /are applied once if only one/],
  ['finds an order at its first version', reading((order) => ({ ...order, version: 1 })), /none is lost/],
  ['finds a cancelled order at version 1', reading((order) => ({ ...order, version: 1 })), /only one of them/],
  ['finds a changed order at version 1', reading((order) => ({ ...order, version: 1 })), /valid again/],
  [
    'loses a key of many',
    reading((order) => ({ ...order, metadata: withoutKey(order.metadata, 'key-7') })),
    /none is lost/,
  ],
  [
    'creates a second order for a retry',
    having((orders) => ({
      insert: (owner, placed, idempotency) =>
        orders
          .insert(owner, placed, idempotency)
          .map((it) => ({ ...it, order: { ...it.order, id: it.replayed ? placed.order.id : it.order.id } })),
    })),
    /creates one order for concurrent retries/,
  ],
  [
    'returns another order for a retried change',
    changing((it) => ({ ...it, order: it.replayed ? { ...it.order, note: 'another' } : it.order })),
    /applies a change once for concurrent retries/,
  ],
  [
    'replays in ASCII',
    creating((it) => ({ ...it, order: { ...it.order, note: it.order.note && ascii(it.order.note) } })),
    /returns the first result/,
  ],
  [
    'returns the same object for every replay of a change',
    having((orders) => {
      const replays = new Map<string, Order>();
      return {
        update: (owner, id, change, idempotency) =>
          orders.update(owner, id, change, idempotency).map((it) => {
            if (!it.replayed) return it;
            const order = replays.get(id) ?? it.order;
            replays.set(id, order);
            return { ...it, order };
          }),
      };
    }),
    /after the copies .* were changed/,
  ],
  [
    'lists nothing',
    having(() => ({ list: () => okAsync({ data: [], next: null }) })),
    /after the copies .* were changed/,
  ],
  [
    'deletes all orders of an owner',
    having((orders) => {
      const emptied = new Set<string>();
      return {
        find: (owner, id) => orders.find(owner, emptied.has(owner) ? anOrder().id : id),
        delete: (owner, id, decide, idempotency) =>
          orders.delete(owner, id, decide, idempotency).map((it) => {
            emptied.add(owner);
            return it;
          }),
      };
    }),
    /keeps the other orders/,
  ],
  [
    'accepts a reference twice without an event',
    having((orders) => ({
      insert: (owner, placed, idempotency) =>
        orders
          .insert(owner, placed, idempotency)
          .orElse((error) =>
            error.type === 'reference_taken'
              ? okAsync({ order: placed.order, event: null, replayed: false })
              : orders.insert(owner, placed, idempotency),
          ),
    })),
    /is given to one of many/,
  ],
  [
    'trims references',
    creating((it) => ({ ...it, order: { ...it.order, reference: it.order.reference?.trim() ?? null } })),
    /is compared exactly/,
  ],
  [
    'returns an empty reference instead of null',
    creating((it) => ({ ...it, order: { ...it.order, reference: it.order.reference ?? '' } })),
    /may be absent/,
  ],
  [
    'checks the reference before the key',
    having((orders) => ({
      insert: (owner, placed, idempotency) => {
        const taken = orders.insert(owner, placed);
        return idempotency ? taken.andThen(() => orders.insert(owner, placed, idempotency)) : taken;
      },
    })),
    /looks up the key before .* the other constraints/,
  ],
];

describe('the contract of the order port, on results,', () => {
  itCatches(orderRepositoryContract, faults);
});
