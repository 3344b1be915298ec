import type { CustomerErased } from '../../customers/customer-errors.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ReferenceTaken, UnknownCustomer } from '../../orders/order-errors.ts';
import { parseOrderQuery } from '../../orders/order-query.ts';
import { parseOrderVersionQuery } from '../../orders/order-version.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { aBuyer, aCustomer, aFulfillment, anAddress, anAdjustment, anEventOf, anItem } from '../builders.ts';
import type { AnyOrder, AnyOrderEvent, OrderFixtures } from '../order-fixtures.ts';
import { sequentialIds } from '../sequential-ids.ts';

/** Metadata whose keys lose their order, or disappear, when they are sorted or assigned to an object. */
export const METADATA: Readonly<Record<string, string>> = Object.fromEntries([
  ['z', '1'],
  ['__proto__', '2'],
  ['ä', '“é” 🎁'],
  ['10', 'ten'],
  ['constructor', '3'],
  ['2', 'two'],
  ['created_at', 'not a time'],
  ['a', '\n\t"\\'],
]);

/** External ids whose systems lose their order, or disappear, when they are sorted or assigned to an object. */
const EXTERNAL_IDS = Object.fromEntries([
  ['stripe', ['pi_1', 'ch “é” 🎁']],
  ['__proto__', ['1']],
  ['10', ['2']],
  ['constructor', ['3']],
]);

const references = sequentialIds(0xa6);

/** Returns the members of a new order with every kind of adjustment, fulfillment and quantity. */
function chargedMembers(): Pick<AnyOrder, 'items' | 'adjustments' | 'fulfillments'> {
  const price = (amount: number) => ({ amount, currency: 'KWD' });
  const first = anItem({
    sku: 'ß-🎁',
    name: 'هدية 🎁',
    quantity: 5,
    fulfilled_quantity: 3,
    cancelled_quantity: 1,
    returned_quantity: 2,
    unit_price: price(1e12),
    metadata: METADATA,
  });
  const free = anItem({ quantity: 9000, fulfilled_quantity: 9000, unit_price: price(0) });
  // More than ten, whose numbers are in another order as texts.
  const others = Array.from({ length: 10 }, (_, line) => anItem({ sku: `C-${10 - line}`, unit_price: price(1) }));
  const items = [first, free, ...others];
  return {
    items,
    adjustments: [
      anAdjustment({ amount: price(495) }),
      anAdjustment({ type: 'discount', name: 'Ω\n"', amount: price(-1e12), item_id: first.id }),
      anAdjustment({ type: 'tax', included: true, amount: price(1e12) }),
      anAdjustment({ type: 'other', amount: price(1e12), created_at: '2026-01-02T03:04:05.679Z' }),
    ],
    fulfillments: [
      aFulfillment([free], { tracking: { carrier: 'Bike “é”', number: null, url: '' } }),
      aFulfillment(items, { cancelled_at: '2026-01-02T03:04:05.679Z' }),
      aFulfillment([{ ...first, quantity: 3 }]),
    ],
  };
}

const OF_ORDERS = ['unknown_customer', 'customer_erased', 'reference_taken'] as const;

/** Returns the orders for the contract of every store. */
export function orderAggregates(
  fixtures: OrderFixtures,
): AggregateFixtures<AnyOrder, AnyOrderEvent, ReferenceTaken | UnknownCustomer | CustomerErased> {
  const { definition, anOrder, cancellable, cancellation } = fixtures;
  return {
    kind: 'orders',
    of: (bench) => {
      const { owner } = bench;
      const { store: orders } = bench.orders;
      return {
        store: orders,
        list: (query) => orders.list(owner, parseOrderQuery(query, definition)._unsafeUnwrap()),
        versions: (id) => orders.listVersions(owner, id, parseOrderVersionQuery({ limit: 100 })._unsafeUnwrap()),
        violations: {
          unknown_customer: () => {
            return Promise.resolve({ members: { customer_id: aCustomer().id }, reason: { type: 'unknown_customer' } });
          },
          customer_erased: async () => {
            const { id } = await bench.customers.stored();
            await bench.eraseCustomer(id);
            return { members: { customer_id: id }, reason: { type: 'customer_erased' } };
          },
          reference_taken: async () => {
            // A cancelled order keeps its reference.
            const { id } = await bench.orders.stored(anOrder({ status: cancellable, reference: 'taken' }));
            await bench.update(id, cancellation);
            return { members: { reference: 'taken' }, reason: { type: 'reference_taken', order_id: id } };
          },
        },
        storeOther: async (key) => (await bench.customers.stored(undefined, key)).id,
      };
    },
    rules: { create: OF_ORDERS, change: OF_ORDERS, delete: [] },
    anAggregate: (members) =>
      anOrder({
        ...chargedMembers(),
        ...(definition.custom && { custom: { ...METADATA } }),
        reference: `PO ${references.next()} — "Ω"`,
        external_ids: EXTERNAL_IDS,
        buyer: aBuyer(),
        shipping_address: anAddress(),
        billing_address: anAddress({ country: 'XK' }),
        note: 'line one\nline two\t\u202eright to left',
        metadata: { ...METADATA },
        ...members,
      }),
    named: (reference) => anOrder({ reference }),
    taken: ({ id }) => ({ type: 'reference_taken', order_id: id }),
    next: (before, note) => ({
      ...before,
      note,
      metadata: { note },
      version: before.version + 1,
      updated_at: '2026-01-02T03:05:00.000Z',
    }),
    eventOf: (owner, after) => anEventOf<OrderDefinition>(owner, after, { changed: ['note'], actor: 'client:web' }),
    deletionOf: (owner, before) =>
      anEventOf<OrderDefinition>(owner, before, { type: 'order.deleted', actor: 'x'.repeat(255) }),
    isPublished: () => true,
    erases: false,
    spoil: ({ metadata, custom }) => {
      for (const each of [metadata, custom]) Object.assign(each ?? {}, { colour: 'red' });
    },
  };
}
