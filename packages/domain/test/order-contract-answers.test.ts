import type { Order, OrderRepository, OrderWritten } from '@orders/domain';
import { anOrder, orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches } from './contract-faults.ts';
import { finding, withoutKey, withoutRefusal } from './faulty-stores.ts';

/** A store with methods made of the correct ones. */
const having =
  (make: (orders: OrderRepository) => Partial<OrderRepository>): Fault[1] =>
  ({ orders }) => ({ orders: make(orders) });

/** A store that answers creations with something else. */
const creating = (answer: (written: OrderWritten) => OrderWritten): Fault[1] =>
  having((orders) => ({
    insert: (owner, placed, idempotency) => orders.insert(owner, placed, idempotency).map(answer),
  }));

/** A store that answers changes with something else. */
const changing = (answer: (written: OrderWritten) => OrderWritten): Fault[1] =>
  having((orders) => ({
    update: (owner, id, change, idempotency) => orders.update(owner, id, change, idempotency).map(answer),
  }));

const reading = (order: (order: Order) => Order): Fault[1] => finding({ order });

const firstItem =
  (make: (item: Order['items'][number]) => Partial<Order['items'][number]>): ((order: Order) => Order) =>
  (order) => ({ ...order, items: order.items.map((item) => ({ ...item, ...make(item) })) });

const ascii = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?');

const faults: readonly Fault[] = [
  [
    'answers a creation without its event',
    creating((it) => ({ ...it, event: null })),
    /returns the order and its event/,
  ],
  [
    'answers a creation with another order',
    creating((it) => ({ ...it, order: { ...it.order, note: 'another' } })),
    /leaves the key unused when it fails/,
  ],
  ['keeps a sku in ASCII', reading(firstItem(({ sku }) => ({ sku: ascii(sku) }))), /every field unchanged/],
  ['keeps a name in ASCII', reading(firstItem(({ name }) => ({ name: ascii(name) }))), /every field unchanged/],
  [
    'keeps an amount of 32 bits',
    reading(firstItem(({ unit_price }) => ({ unit_price: { ...unit_price, amount: unit_price.amount % 2 ** 31 } }))),
    /every field unchanged/,
  ],
  [
    'loses an item that costs nothing',
    reading((order) => ({ ...order, items: order.items.filter(({ total }) => total.amount > 0) })),
    /every field unchanged/,
  ],
  [
    'keeps a reference in ASCII',
    reading((order) => ({ ...order, reference: order.reference && ascii(order.reference) })),
    /every field unchanged/,
  ],
  [
    'keeps one line of a note',
    reading((order) => ({ ...order, note: order.note?.split('\n')[0] ?? null })),
    /every field unchanged/,
  ],
  ...['__proto__', 'constructor', '10', '2'].map((key): Fault => [
    `loses a metadata key of ${key}`,
    reading((order) => ({ ...order, metadata: withoutKey(order.metadata, key) })),
    /every field unchanged/,
  ]),
  [
    'answers a missing order with unavailable',
    withoutRefusal('order_not_found'),
    /^finding an order returns order_not_found/,
  ],
  [
    'answers a change with the order before',
    having((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders
          .find(owner, id)
          .andThen((order) => orders.update(owner, id, change, idempotency).map((it) => ({ ...it, order }))),
    })),
    /every field that may change/,
  ],
  ['answers a change without its event', changing((it) => ({ ...it, event: null })), /records one event with each/],
  ['answers a refused change with unavailable', withoutRefusal('no'), /error of the change/],
  ['answers a refused deletion with unavailable', withoutRefusal('no'), /error of decide/],
  [
    'answers the key of another with unavailable',
    withoutRefusal('idempotency_key_reused'),
    /of several different orders/,
  ],
  [
    'answers the key of another change with unavailable',
    withoutRefusal('idempotency_key_reused'),
    /, even concurrently/,
  ],
  ['answers a reference taken at once with unavailable', withoutRefusal('reference_taken'), /is given to one of many/],
  ['answers what is refused at once with unavailable', withoutRefusal('already'), /succeed once if only one/],
  [
    'answers a change that a deletion overtook with unavailable',
    having((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders
          .find(owner, id)
          .andThen(() => orders.update(owner, id, change, idempotency))
          .mapErr((error) =>
            isRefusal(error, 'order_not_found') ? { type: 'unavailable' as const, cause: error } : error,
          ),
    })),
    /never restore an order/,
  ],
  [
    'lets two changes happen that only one may make',
    having((orders) => ({
      update: (owner, id, change, idempotency) =>
        orders.find(owner, id).andThen((stale) => orders.update(owner, id, () => change(stale), idempotency)),
    })),
    /succeed once if only one/,
  ],
  ['finds an order at its first version', reading((order) => ({ ...order, version: 1 })), /none is lost/],
  [
    'finds an order at version 1 that was cancelled',
    reading((order) => ({ ...order, version: 1 })),
    /only one of them/,
  ],
  ['finds an order at version 1 that was noted', reading((order) => ({ ...order, version: 1 })), /valid again/],
  [
    'loses a key of many',
    reading((order) => ({ ...order, metadata: withoutKey(order.metadata, 'key-7') })),
    /none is lost/,
  ],
  [
    'answers a repeated creation with an order of its own',
    having((orders) => ({
      insert: (owner, placed, idempotency) =>
        orders
          .insert(owner, placed, idempotency)
          .map((it) => ({ ...it, order: { ...it.order, id: it.replayed ? placed.order.id : it.order.id } })),
    })),
    /creates one order for concurrent retries/,
  ],
  [
    'answers a repeated change with another order',
    changing((it) => ({ ...it, order: it.replayed ? { ...it.order, note: 'another' } : it.order })),
    /applies a change once for concurrent retries/,
  ],
  [
    'replays in ASCII',
    creating((it) => ({ ...it, order: { ...it.order, note: it.order.note && ascii(it.order.note) } })),
    /returns the first result/,
  ],
  [
    'hands out one object for every replay of a change',
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
        delete: (owner, id, judge, idempotency) =>
          orders.delete(owner, id, judge, idempotency).map((it) => {
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
    'answers an absent reference with an empty one',
    creating((it) => ({ ...it, order: { ...it.order, reference: it.order.reference ?? '' } })),
    /may be absent/,
  ],
  [
    'looks for the reference before the key',
    having((orders) => ({
      insert: (owner, placed, idempotency) => {
        const taken = orders.insert(owner, placed);
        return idempotency ? taken.andThen(() => orders.insert(owner, placed, idempotency)) : taken;
      },
    })),
    /looks up the key before .* the other constraints/,
  ],
];

describe('the contract of the order port, on answers,', () => {
  itCatches(orderRepositoryContract, faults);
});
