import type { Customer, Domain, Order, Owner, WriteOptions } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';

/** What a write answers with. */
export interface Outcome {
  readonly order?: Order;
  readonly customer?: Customer;
  readonly replayed: boolean;
}

/** A write of the domain that takes an idempotency key. */
export interface KeyedWrite {
  readonly name: string;
  /** Leaves what the write is about, and tells its id; without a key, so that the write's is the only one. */
  readonly prepare: (domain: Domain, owner: Owner) => Promise<string>;
  readonly write: (domain: Domain, owner: Owner, id: string, options: WriteOptions) => ResultAsync<Outcome, Refusal>;
  /** Another write, without a key, that gets in between what this one reads and what it writes, and what it leaves. */
  readonly met?: {
    readonly act: (domain: Domain, owner: Owner, id: string) => Promise<unknown>;
    readonly leaves: Kept;
  };
  /** What there is once all this has happened once. */
  readonly leaves: Kept;
}

/** What an owner has: the versions of the aggregates that are kept, and the events with their versions. */
interface Kept {
  readonly versions: readonly number[];
  readonly events: readonly string[];
}

interface Refusal {
  readonly type: string;
}

const AN_ORDER = {
  reference: 'PO-1',
  items: [
    { sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } },
    { sku: 'POT-700', name: 'Pot', quantity: 1, unit_price: { amount: 3900, currency: 'EUR' } },
  ],
};
const A_CUSTOMER = { email: 'ada@example.com', name: 'Ada' };

const placed = async (domain: Domain, owner: Owner) =>
  (await domain.placeOrder(owner, AN_ORDER))._unsafeUnwrap().order.id;
const created = async (domain: Domain, owner: Owner) =>
  (await domain.createCustomer(owner, A_CUSTOMER))._unsafeUnwrap().customer.id;
const noted = {
  act: async (domain: Domain, owner: Owner, id: string) =>
    (await domain.changeOrder(owner, id, { note: 'first' }))._unsafeUnwrap(),
  leaves: { versions: [2], events: ['order.changed 2', 'order.placed 1'] },
};
const nothing = () => Promise.resolve('');

/** Every kind of write. */
export const KEYED_WRITES: readonly KeyedWrite[] = [
  {
    name: 'placing an order',
    prepare: nothing,
    write: (domain, owner, _, options) => domain.placeOrder(owner, AN_ORDER, options),
    leaves: { versions: [1], events: ['order.placed 1'] },
  },
  {
    name: 'changing an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.changeOrder(owner, id, { status: 'paid', note: 'soon' }, options),
    leaves: { versions: [2], events: ['order.paid 2', 'order.placed 1'] },
  },
  {
    name: 'cancelling an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.cancelOrder(owner, id, { reason: 'no more' }, options),
    leaves: { versions: [2], events: ['order.cancelled 2', 'order.placed 1'] },
  },
  {
    name: 'changing nothing of an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.changeOrder(owner, id, { reference: 'PO-1' }, options),
    leaves: { versions: [1], events: ['order.placed 1'] },
  },
  {
    name: 'deleting an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.deleteOrder(owner, id, options),
    leaves: { versions: [], events: ['order.deleted 1', 'order.placed 1'] },
  },
  {
    name: 'changing an order that another change gets to first',
    prepare: placed,
    write: (domain, owner, id, options) => domain.changeOrder(owner, id, { metadata: { shelf: '7' } }, options),
    met: noted,
    leaves: { versions: [3], events: ['order.changed 2', 'order.changed 3', 'order.placed 1'] },
  },
  {
    name: 'deleting an order that a change gets to first',
    prepare: placed,
    write: (domain, owner, id, options) => domain.deleteOrder(owner, id, options),
    met: noted,
    leaves: { versions: [], events: ['order.changed 2', 'order.deleted 2', 'order.placed 1'] },
  },
  {
    name: 'creating a customer',
    prepare: nothing,
    write: (domain, owner, _, options) => domain.createCustomer(owner, A_CUSTOMER, options),
    leaves: { versions: [1], events: ['customer.created 1'] },
  },
  {
    name: 'changing a customer',
    prepare: created,
    write: (domain, owner, id, options) => domain.changeCustomer(owner, id, { name: 'Ada L.' }, options),
    leaves: { versions: [2], events: ['customer.changed 2', 'customer.created 1'] },
  },
  {
    name: 'deleting a customer',
    prepare: created,
    write: (domain, owner, id, options) => domain.deleteCustomer(owner, id, options),
    leaves: { versions: [], events: ['customer.created 1', 'customer.deleted 1'] },
  },
];
