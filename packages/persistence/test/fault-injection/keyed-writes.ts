import type { Customer, Domain, Order, Owner, WriteOptions } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';

/** The result of a write. */
export interface Outcome {
  readonly order?: Order;
  readonly customer?: Customer;
  readonly replayed: boolean;
}

/** A write of the domain with an idempotency key. */
export interface KeyedWrite {
  readonly name: string;
  /**
   * Creates the aggregate of the write and returns its id. Uses no key, so that the key of the write is the only one.
   */
  readonly prepare: (domain: Domain, owner: Owner) => Promise<string>;
  readonly write: (domain: Domain, owner: Owner, id: string, options: WriteOptions) => ResultAsync<Outcome, Refusal>;
  /** A competing write without a key, between the write's read and its statement, and the resulting state. */
  readonly competing?: {
    readonly act: (domain: Domain, owner: Owner, id: string) => Promise<unknown>;
    readonly leaves: Kept;
  };
  /** The state after everything happened once. */
  readonly leaves: Kept;
}

/** The state of an owner: the versions of its aggregates, and its events with their versions. */
interface Kept {
  readonly versions: readonly number[];
  readonly events: readonly string[];
}

interface Refusal {
  readonly type: string;
}

export const AN_ORDER = {
  reference: 'PO-1',
  items: [
    { sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } },
    { sku: 'POT-700', name: 'Pot', quantity: 1, unit_price: { amount: 3900, currency: 'EUR' } },
  ],
};
const A_CUSTOMER = { email: 'ada@example.com', name: 'Ada' };

const created = async (domain: Domain, owner: Owner) =>
  (await domain.createCustomer(owner, A_CUSTOMER))._unsafeUnwrap().customer.id;
const noted = {
  act: async (domain: Domain, owner: Owner, id: string) =>
    (await domain.changeOrder(owner, id, { note: 'first' }))._unsafeUnwrap(),
  leaves: { versions: [2], events: ['order.changed 2', 'order.placed 1'] },
};
const nothing = () => Promise.resolve('');

const placed = async (domain: Domain, owner: Owner) =>
  (await domain.placeOrder(owner, AN_ORDER))._unsafeUnwrap().order.id;

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
    name: 'changing nothing of an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.changeOrder(owner, id, { reference: 'PO-1' }, options),
    leaves: { versions: [1], events: ['order.placed 1'] },
  },
  {
    name: 'deleting an order',
    prepare: placed,
    write: (domain, owner, id, options) => domain.deleteOrder(owner, id, options),
    leaves: { versions: [], events: ['order.deleted 2', 'order.placed 1'] },
  },
  {
    name: 'changing an order after a concurrent change',
    prepare: placed,
    write: (domain, owner, id, options) => domain.changeOrder(owner, id, { metadata: { shelf: '7' } }, options),
    competing: noted,
    leaves: { versions: [3], events: ['order.changed 2', 'order.changed 3', 'order.placed 1'] },
  },
  {
    name: 'deleting a customer',
    prepare: created,
    write: (domain, owner, id, options) => domain.deleteCustomer(owner, id, options),
    leaves: { versions: [], events: ['customer.created 1', 'customer.deleted 2'] },
  },
];
