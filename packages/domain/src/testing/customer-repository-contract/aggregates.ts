import type { CustomerErased, CustomerHasOrders, EmailTaken } from '../../customers/customer-errors.ts';
import type { CustomerEvent } from '../../customers/customer-kind.ts';
import { parseCustomerQuery } from '../../customers/customer-query.ts';
import type { Customer } from '../../customers/customer.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { aCustomer, anEventOfCustomer } from '../builders.ts';
import type { AnySubject, OrderFixtures } from '../order-fixtures.ts';
import { StoreBench } from '../store-bench.ts';

/** Metadata whose keys lose their order, or disappear, when they are sorted or assigned to an object. */
const METADATA = Object.fromEntries([
  ['z', '1'],
  ['__proto__', '2'],
  ['10', 'ten'],
  ['a', '“é” 🎁'],
]);

/** Returns the customers for the contract of every store. */
export function customerAggregates(
  fixtures: OrderFixtures,
): AggregateFixtures<Customer, CustomerEvent, EmailTaken | CustomerHasOrders | CustomerErased, AnySubject> {
  return {
    kind: 'customers',
    storeOf: ({ customers }) => customers,
    anAggregate: (members) => aCustomer({ ...members, metadata: { ...METADATA } }),
    named: (name) => aCustomer({ email: `${name}@example.com` }),
    next: (before, name) => ({
      ...before,
      name,
      version: before.version + 1,
      updated_at: '2026-01-02T03:05:00.000Z',
    }),
    eventOf: (owner, after) => anEventOfCustomer(owner, after, { changed: ['name'], actor: 'client:web' }),
    deletionOf: (owner, before) =>
      anEventOfCustomer(owner, before, { type: 'customer.deleted', actor: 'x'.repeat(255) }),
    isPublished: () => true,
    list: ({ customers }, owner, query) => customers.list(owner, parseCustomerQuery(query)._unsafeUnwrap()),
    erases: true,
    spoil: ({ metadata }) => Object.assign(metadata, { tier: 'lead' }),
    refusesChanges: true,
    refusal: async (subject, owner) => {
      const { id, email } = await new StoreBench(fixtures, subject, owner).storeCustomer();
      return {
        created: aCustomer({ email }),
        changed: (before) => ({ ...before, email, version: before.version + 1 }),
        reason: { type: 'email_taken', customer_id: id },
      };
    },
    storeOther: async (subject, owner, key) =>
      (await new StoreBench(fixtures, subject, owner).storeOrder(undefined, key)).id,
  };
}
