import { CURRENCIES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  badFields,
  CUSTOMER,
  NOW,
  OWNER,
  refuses,
  STRANGER,
  succeeds,
} from './a-domain.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const anId: unknown = expect.stringMatching(UUID_V7);

const price = (amount: number, currency = 'EUR') => ({ amount, currency });

describe('placing an order', () => {
  it('makes a pending one at version 1, with everything optional absent or empty', async () => {
    const domain = aDomain();
    const { order, replayed } = await succeeds(domain.placeOrder(OWNER, { items: [aLine()] }));
    expect(order).toEqual({
      id: anId,
      status: 'pending',
      customer_id: null,
      reference: null,
      items: [{ id: anId, ...aLine(), total: price(1999) }],
      total: price(1999),
      note: null,
      metadata: {},
      cancel_reason: null,
      version: 1,
      created_at: NOW,
      updated_at: NOW,
      paid_at: null,
      shipped_at: null,
      delivered_at: null,
      cancelled_at: null,
    });
    expect(replayed).toBe(false);
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it('keeps what the client says of it', async () => {
    const said = {
      customer_id: CUSTOMER,
      reference: ' PO 2026/0001 ',
      note: 'ring twice\n\tthen wait',
      metadata: { campaign: 'spring', empty: '' },
    };
    expect(await aPlacedOrder(aDomain(), said)).toMatchObject(said);
  });

  it.each(['customer_id', 'reference', 'note', 'metadata'])('takes null for an absent %s', async (field) => {
    const order = await aPlacedOrder(aDomain(), { [field]: null });
    expect(order).toMatchObject({ customer_id: null, reference: null, note: null, metadata: {} });
  });

  it('spells the id of a customer in lower case', async () => {
    const { customer_id } = await aPlacedOrder(aDomain(), { customer_id: CUSTOMER.toUpperCase() });
    expect(customer_id).toBe(CUSTOMER);
  });

  it('keeps the lines in their order, prices each and sums them up', async () => {
    const items = [
      aLine({ sku: 'C', quantity: 3, unit_price: price(333) }),
      aLine({ sku: 'A', quantity: 1_000_000, unit_price: price(0) }),
      aLine({ sku: 'C', quantity: 1, unit_price: price(1) }),
    ];
    const order = await aPlacedOrder(aDomain(), { items });
    expect(order.items.map(({ sku, total }) => [sku, total])).toEqual([
      ['C', price(999)],
      ['A', price(0)],
      ['C', price(1)],
    ]);
    expect(order.total).toEqual(price(1000));
    expect(new Set([order.id, ...order.items.map(({ id }) => id)]).size).toBe(4);
  });

  it('records one event, which tells no values', async () => {
    const domain = aDomain();
    const { order, event } = await succeeds(domain.placeOrder(OWNER, aBody({ note: 'private' })));
    expect(event).toEqual({
      id: anId,
      type: 'order.placed',
      owner: OWNER,
      aggregate_id: order.id,
      version: 1,
      occurred_at: NOW,
      changed: [],
    });
    expect(domain.events()).toEqual([event]);
  });

  it('takes every currency of the list, alone in its order', async () => {
    const domain = aDomain();
    for (const currency of CURRENCIES) {
      const { total } = await aPlacedOrder(domain, { items: [aLine({ unit_price: price(1, currency) })] });
      expect(total).toEqual(price(1, currency));
    }
    expect(CURRENCIES.size).toBeGreaterThan(150);
  });
});

describe('placing an order is refused, and nothing is kept,', () => {
  const lines = (...prices: ReturnType<typeof price>[]) =>
    aBody({ items: prices.map((unit_price) => aLine({ quantity: 1_000_000, unit_price })) });

  it.each([
    ['the second line', [price(1), price(1, 'USD')], 'items[1].unit_price.currency'],
    [
      'the first line that differs',
      [price(1), price(1), price(1, 'JPY'), price(1, 'USD')],
      'items[2].unit_price.currency',
    ],
    ['a line that costs nothing', [price(1), price(0, 'USD')], 'items[1].unit_price.currency'],
  ])('in two currencies, naming %s', async (_, prices, field) => {
    const domain = aDomain();
    const refusal = await refuses(domain.placeOrder(OWNER, lines(...prices)));
    expect(refusal).toEqual({ type: 'currency_mismatch', currency: 'EUR', field });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
  });

  it.each([
    ['the line', [price(1), price(10 ** 12)], 'items[1]'],
    ['the first such line', [price(10 ** 10), price(10 ** 12)], 'items[0]'],
    ['items, when the lines are well but their sum is not', [price(9e9), price(1e7)], 'items'],
  ])('with a total past 2^53-1, naming %s', async (_, prices, field) => {
    const domain = aDomain();
    const refusal = await refuses(domain.placeOrder(OWNER, lines(...prices)));
    expect(refusal).toEqual({ type: 'amount_out_of_range', field });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
  });

  it.each([
    ['nobody has', OWNER, '019b0000-dddd-7000-8000-000000000000'],
    ['another owner has', STRANGER, CUSTOMER],
  ])('for a customer that %s', async (_, owner, customer_id) => {
    const domain = aDomain();
    const refusal = await refuses(domain.placeOrder(owner, aBody({ customer_id })));
    expect(refusal).toMatchObject(badFields('customer_id: not_found'));
    expect((await succeeds(domain.listOrders(owner))).data).toEqual([]);
    expect(domain.events()).toEqual([]);
  });

  it.each(['pending', 'cancelled'] as const)('under the reference of a %s order, naming that', async (status) => {
    const domain = aDomain();
    const holder = await anOrderIn(domain, status, { reference: 'PO-1' });
    const refusal = await refuses(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' })));
    expect(refusal).toEqual({ type: 'reference_taken', order_id: holder.id });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([holder]);
  });

  it("but not under a reference that differs in case or space, nor under another owner's", async () => {
    const domain = aDomain();
    for (const reference of ['PO-1', 'po-1', 'PO-1 ']) await aPlacedOrder(domain, { reference });
    const { order } = await succeeds(domain.placeOrder(STRANGER, aBody({ reference: 'PO-1' })));
    expect(order.reference).toBe('PO-1');
  });
});
