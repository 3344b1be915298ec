import { createDomain, type Order } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';

const OWNER = 'acme';
const ID = '019b0000-dddd-7000-8000-000000000000';
const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
const items = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }];

type Program = () => ResultAsync<unknown, { readonly type: string }>;

const FEE = aCharge('fee', 1);

function aCharge<const Type extends string, const Amount extends number>(type: Type, amount: Amount) {
  return { type, name: type, amount: { amount, currency: 'EUR' } } as const;
}

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
  // @ts-expect-error -- nothing is refunded before it was paid
  ['a refund when placing', () => domain.placeOrder(OWNER, { items, adjustments: [aCharge('refund', -1)] })],
  // @ts-expect-error -- a discount is not above 0
  ['a discount above 0', () => domain.placeOrder(OWNER, { items, adjustments: [aCharge('discount', 5)] })],
  // @ts-expect-error -- a tax is not below 0 when placing
  ['a tax below 0', () => domain.placeOrder(OWNER, { items, adjustments: [aCharge('tax', -5)] })],
  // @ts-expect-error -- not a type
  ['an unknown type of adjustment', () => domain.placeOrder(OWNER, { items, adjustments: [aCharge('vat', 1)] })],
  // @ts-expect-error -- an index, as items have no ids yet
  ['an item id when placing', () => domain.placeOrder(OWNER, { items, adjustments: [{ ...FEE, item_id: ID }] })],
  // @ts-expect-error -- only a tax can be included
  ['an included fee', () => domain.placeOrder(OWNER, { items, adjustments: [{ ...FEE, included: true }] })],
  // @ts-expect-error -- adjustments are required
  ['an adjustment of nothing', () => domain.adjustOrder(OWNER, ID, {})],
  // @ts-expect-error -- an id, as the order exists
  ['an index of an item later', () => domain.adjustOrder(OWNER, ID, { adjustments: [{ ...FEE, item: 0 }] })],
  // @ts-expect-error -- an adjustment belongs to one item
  ['two items', () => domain.addItems(OWNER, ID, { items, adjustments: [{ ...FEE, item: 0, item_id: ID }] })],
  // @ts-expect-error -- adjustments never change
  ['a change of the adjustments', () => domain.changeOrder(OWNER, ID, { adjustments: [] })],
  // @ts-expect-error -- how much came back is required
  ['a return without quantities', () => domain.returnItems(OWNER, ID, { items: [{ item_id: ID }] })],
  // @ts-expect-error -- what came back is required
  ['a return of everything', () => domain.returnItems(OWNER, ID, {})],
  // @ts-expect-error -- a cancellation of the whole order charges nothing
  ['a charge for a whole cancellation', () => domain.cancelOrder(OWNER, ID, { adjustments: [FEE] })],
  // @ts-expect-error -- not a member
  ['an unknown member of a tracking', () => domain.fulfillItems(OWNER, ID, { tracking: { code: '1' } })],
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

  it('accept amounts that are not literals, and literals with the sign of their type', async () => {
    const percent = (of: number) => -Math.round(of * 0.1);
    const adjustments = [
      { type: 'discount', name: '10 %', amount: { amount: percent(1999), currency: 'EUR' } },
      { type: 'discount', name: 'Gift', amount: { amount: -100, currency: 'EUR' }, item: 0 },
      { type: 'tax', name: 'VAT', amount: { amount: 300, currency: 'EUR' }, included: true },
      { type: 'other', name: 'Rounding', amount: { amount: -1, currency: 'EUR' } },
    ] as const;
    const { order } = (await domain.placeOrder(OWNER, { items, adjustments }))._unsafeUnwrap();
    expect(order.total.amount).toBe(1999 - 200 - 100 - 1);
    const { type } = (await domain.fulfillItems(OWNER, ID))._unsafeUnwrapErr();
    // @ts-expect-error -- nothing but items and adjustments can be wrong
    expect(type === 'fulfillment_not_found').toBe(false);
    // @ts-expect-error -- order_not_found is missing
    const rest: Exclude<typeof type, 'order_not_found'> = type;
    expect(rest).toBe('order_not_found');
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
