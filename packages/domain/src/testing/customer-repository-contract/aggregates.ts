import type { CustomerErased, CustomerHasOrders, EmailTaken } from '../../customers/customer-errors.ts';
import type { CustomerEvent } from '../../customers/customer-kind.ts';
import { parseCustomerQuery } from '../../customers/customer-query.ts';
import type { Customer } from '../../customers/customer.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { aCustomer, anEventOfCustomer } from '../builders.ts';
import { METADATA } from '../order-repository-contract/aggregates.ts';
import { sequentialIds } from '../sequential-ids.ts';

const emails = sequentialIds(0xa7);

/** The customers for the contract of every store. */
export const customerAggregates: AggregateFixtures<
  Customer,
  CustomerEvent,
  EmailTaken | CustomerHasOrders | CustomerErased
> = {
  kind: 'customers',
  of: (bench) => {
    const { owner } = bench;
    const { store: customers } = bench.customers;
    return {
      store: customers,
      list: (query) => customers.list(owner, parseCustomerQuery(query)._unsafeUnwrap()),
      violations: {
        email_taken: async () => {
          const { id, email } = await bench.customers.stored();
          return { members: { email }, reason: { type: 'email_taken', customer_id: id } };
        },
        customer_has_orders: async (id) => {
          await bench.orders.stored(bench.fixtures.anOrder({ customer_id: id }));
          return { reason: { type: 'customer_has_orders' } };
        },
        customer_erased: async (id) => {
          await bench.eraseCustomer(id);
          return { reason: { type: 'customer_erased' } };
        },
      },
      storeOther: async (key) => (await bench.orders.stored(undefined, key)).id,
    };
  },
  rules: { create: ['email_taken'], change: ['email_taken'], delete: ['customer_has_orders', 'customer_erased'] },
  anAggregate: (members) =>
    aCustomer({
      email: `Zoë+${emails.next()}@Exämple.COM`,
      name: 'Zoë “Z” 🎁',
      metadata: { ...METADATA },
      ...members,
    }),
  named: (name) => aCustomer({ email: `${name}@example.com` }),
  taken: ({ id }) => ({ type: 'email_taken', customer_id: id }),
  next: (before, name) => ({
    ...before,
    email: `New+${emails.next()}@Example.com`,
    name,
    metadata: {},
    version: before.version + 1,
    updated_at: '2026-01-02T03:05:00.000Z',
  }),
  eventOf: (owner, after) => anEventOfCustomer(owner, after, { changed: ['name'], actor: 'client:web' }),
  deletionOf: (owner, before) => anEventOfCustomer(owner, before, { type: 'customer.deleted', actor: 'x'.repeat(255) }),
  isPublished: () => true,
  erases: true,
  spoil: ({ metadata }) => Object.assign(metadata, { tier: 'lead' }),
};
