import { createDomain, type Order } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';

const OWNER = 'acme';
const ID = '019b0000-dddd-7000-8000-000000000000';
const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
const items = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }];

type Program = () => ResultAsync<unknown, { readonly type: string }>;

/** Programs that do not compile. Without types they run, and are rejected then. */
const WRONG: readonly (readonly [name: string, program: Program])[] = [
  // @ts-expect-error -- a number is no order
  ['an order that is a number', () => domain.placeOrder(OWNER, 42)],
  // @ts-expect-error -- items are required
  ['an order without items', () => domain.placeOrder(OWNER, { note: 'x' })],
  // @ts-expect-error -- not a member
  ['an unknown member of an order', () => domain.placeOrder(OWNER, { items, referenced: 'PO-1' })],
  // @ts-expect-error -- the lines are an array
  ['items that are no array', () => domain.placeOrder(OWNER, { items: items[0] })],
  // @ts-expect-error -- a quantity is a number
  ['a quantity that is text', () => domain.placeOrder(OWNER, { items: [{ ...items[0], quantity: '1' }] })],
  // @ts-expect-error -- a price is an amount of minor units with a currency
  ['a price without a currency', () => domain.placeOrder(OWNER, { items: [{ ...items[0], unit_price: 1999 }] })],
  // @ts-expect-error -- metadata are texts
  ['metadata that are numbers', () => domain.placeOrder(OWNER, { items, metadata: { floor: 3 } })],
  // @ts-expect-error -- the status of a new order is not chosen
  ['a new order with a status', () => domain.placeOrder(OWNER, { items, status: 'paid' })],
  // @ts-expect-error -- not a member
  ['an unknown member of a change', () => domain.changeOrder(OWNER, ID, { state: 'paid' })],
  // @ts-expect-error -- not a status
  ['an unknown status', () => domain.changeOrder(OWNER, ID, { status: 'payed' })],
  // @ts-expect-error -- a status cannot be cleared
  ['a status that is cleared', () => domain.changeOrder(OWNER, ID, { status: null })],
  // @ts-expect-error -- only a cancellation has a reason
  ['a reason without a cancellation', () => domain.changeOrder(OWNER, ID, { status: 'paid', cancel_reason: 'x' })],
  // @ts-expect-error -- items never change
  ['a change of the items', () => domain.changeOrder(OWNER, ID, { items })],
  // @ts-expect-error -- not a member
  ['an unknown member of a cancellation', () => domain.cancelOrder(OWNER, ID, { reasons: 'x' })],
  // @ts-expect-error -- an email is required
  ['a customer without an email', () => domain.createCustomer(OWNER, { name: 'Ada' })],
  // @ts-expect-error -- an email cannot be cleared
  ['an email that is cleared', () => domain.changeCustomer(OWNER, ID, { email: null })],
  // @ts-expect-error -- not a sort order
  ['an unknown sort order', () => domain.listOrders(OWNER, { sort: 'total' })],
  // @ts-expect-error -- statuses are a set
  ['a status that is no list', () => domain.listOrders(OWNER, { status: 'paid' })],
  // @ts-expect-error -- not a status
  ['a list with an unknown status', () => domain.listOrders(OWNER, { status: ['payed'] })],
];

describe('typed inputs', () => {
  it.each(WRONG)('reject %s at run time too', async (_, program) => {
    const error = (await program())._unsafeUnwrapErr();
    expect(['validation_failed', 'order_not_found']).toContain(error.type);
  });

  it('accept what other use cases return, and absent, undefined and null members', async () => {
    const placed = await domain.placeOrder(OWNER, { items, customer_id: null, reference: undefined, metadata: {} });
    const { order } = placed._unsafeUnwrap();
    const again: Pick<Order, 'note' | 'metadata' | 'reference'> = order;
    const lines = order.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
    expect((await domain.placeOrder(OWNER, { items: lines, ...pick(again) })).isOk()).toBe(true);
    const cancelled = await domain.changeOrder(OWNER, order.id, {
      status: 'cancelled',
      cancel_reason: null,
      note: 'x',
    });
    expect(cancelled.isOk()).toBe(true);
  });
});

function pick({ note, metadata, reference }: Pick<Order, 'note' | 'metadata' | 'reference'>) {
  return { note, metadata, reference };
}
