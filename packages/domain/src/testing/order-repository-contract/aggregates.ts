import type { CustomerErased } from '../../customers/customer-errors.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ReferenceTaken, UnknownCustomer } from '../../orders/order-errors.ts';
import { parseOrderQuery } from '../../orders/order-query.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { anEventOf, anItem, aCustomer } from '../builders.ts';
import type { AnyOrder, AnyOrderEvent, AnySubject, OrderFixtures } from '../order-fixtures.ts';
import { StoreBench } from '../store-bench.ts';

/** Metadata whose keys lose their order, or disappear, when they are sorted or assigned to an object. */
export const METADATA: Readonly<Record<string, string>> = Object.fromEntries([
  ['z', '1'],
  ['__proto__', '2'],
  ['ä', '“é” 🎁'],
  ['10', 'ten'],
  ['constructor', '3'],
  ['2', 'two'],
  ['a', '\n\t"\\'],
]);

/** Returns the orders for the contract of every store. */
export function orderAggregates(
  fixtures: OrderFixtures,
): AggregateFixtures<AnyOrder, AnyOrderEvent, ReferenceTaken | UnknownCustomer | CustomerErased, AnySubject> {
  const { definition, anOrder } = fixtures;
  return {
    kind: 'orders',
    storeOf: ({ orders }) => orders,
    anAggregate: (members) =>
      anOrder({ ...members, items: [anItem(), anItem({ sku: 'B' })], metadata: { ...METADATA } }),
    named: (reference) => anOrder({ reference }),
    next: (before, note) => ({ ...before, note, version: before.version + 1, updated_at: '2026-01-02T03:05:00.000Z' }),
    eventOf: (owner, after) => anEventOf<OrderDefinition>(owner, after, { changed: ['note'], actor: 'client:web' }),
    deletionOf: (owner, before) =>
      anEventOf<OrderDefinition>(owner, before, { type: 'order.deleted', actor: 'x'.repeat(255) }),
    isPublished: () => true,
    list: ({ orders }, owner, query) => orders.list(owner, parseOrderQuery(query, definition)._unsafeUnwrap()),
    erases: false,
    spoil: ({ metadata }) => Object.assign(metadata, { colour: 'red' }),
    refusesChanges: true,
    refusal: async (subject, owner) => {
      const { id, reference } = await new StoreBench(fixtures, subject, owner).storeOrder(
        anOrder({ reference: 'taken' }),
      );
      return {
        created: anOrder({ reference }),
        changed: (before) => ({ ...before, reference, version: before.version + 1 }),
        reason: { type: 'reference_taken', order_id: id },
      };
    },
    storeOther: async (subject, owner, key) =>
      (await new StoreBench(fixtures, subject, owner).storeCustomer(aCustomer(), key)).id,
  };
}
