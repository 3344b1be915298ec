import { CURRENCIES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  NOW,
  OTHER_OWNER,
  OWNER,
  succeeds,
} from '../fixtures/a-domain.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const anId: unknown = expect.stringMatching(UUID_V7);

const price = (amount: number, currency = 'EUR') => ({ amount, currency });

describe('placing an order', () => {
  it('creates a pending order at version 1 with default values', async () => {
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

  it('stores all fields of the client', async () => {
    const details = {
      customer_id: CUSTOMER,
      reference: ' PO 2026/0001 ',
      note: 'ring twice\n\tthen wait',
      metadata: { campaign: 'spring', empty: '' },
    };
    expect(await aPlacedOrder(aDomain(), details)).toMatchObject(details);
  });

  it.each(['customer_id', 'reference', 'note', 'metadata'])('accepts null as an absent %s', async (field) => {
    const order = await aPlacedOrder(aDomain(), { [field]: null });
    expect(order).toMatchObject({ customer_id: null, reference: null, note: null, metadata: {} });
  });

  it('stores customer_id in lower case', async () => {
    const { customer_id } = await aPlacedOrder(aDomain(), { customer_id: CUSTOMER.toUpperCase() });
    expect(customer_id).toBe(CUSTOMER);
  });

  it('keeps the order of the lines and computes all totals', async () => {
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

  it('records one event, which contains no values', async () => {
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
      actor: null,
    });
    expect(domain.events()).toEqual([event]);
  });

  it('accepts every supported currency', async () => {
    const domain = aDomain();
    for (const currency of CURRENCIES) {
      const { total } = await aPlacedOrder(domain, { items: [aLine({ unit_price: price(1, currency) })] });
      expect(total).toEqual(price(1, currency));
    }
    expect(CURRENCIES.size).toBeGreaterThan(150);
  });
});

describe('placing an invalid order', () => {
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
  ])('returns currency_mismatch for two currencies with the path of %s', async (_, prices, field) => {
    const domain = aDomain();
    const error = await fails(domain.placeOrder(OWNER, lines(...prices)));
    expect(error).toEqual({ type: 'currency_mismatch', currency: 'EUR', field });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
  });

  it.each([
    ['the line', [price(1), price(10 ** 12)], 'items[1]'],
    ['the first such line', [price(10 ** 10), price(10 ** 12)], 'items[0]'],
    ['items, if only their sum exceeds the limit', [price(9e9), price(1e7)], 'items'],
  ])('returns amount_out_of_range for a total above 2^53-1 with the path of %s', async (_, prices, field) => {
    const domain = aDomain();
    const error = await fails(domain.placeOrder(OWNER, lines(...prices)));
    expect(error).toEqual({ type: 'amount_out_of_range', field });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
  });

  it.each([
    ['does not exist', OWNER, '019b0000-dddd-7000-8000-000000000000'],
    ['belongs to another owner', OTHER_OWNER, CUSTOMER],
  ])('returns an invalid customer_id for a customer that %s', async (_, owner, customer_id) => {
    const domain = aDomain();
    const error = await fails(domain.placeOrder(owner, aBody({ customer_id })));
    expect(error).toMatchObject(invalidFields('customer_id: not_found'));
    expect((await succeeds(domain.listOrders(owner))).data).toEqual([]);
    expect(domain.events()).toEqual([]);
  });

  it.each(['pending', 'cancelled'] as const)(
    'returns reference_taken for the reference of a %s order with its id',
    async (status) => {
      const domain = aDomain();
      const holder = await anOrderIn(domain, status, { reference: 'PO-1' });
      const error = await fails(domain.placeOrder(OWNER, aBody({ reference: 'PO-1' })));
      expect(error).toEqual({ type: 'reference_taken', order_id: holder.id });
      expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([holder]);
    },
  );

  it('accepts a reference that differs in case or space, or belongs to another owner', async () => {
    const domain = aDomain();
    for (const reference of ['PO-1', 'po-1', 'PO-1 ']) await aPlacedOrder(domain, { reference });
    const { order } = await succeeds(domain.placeOrder(OTHER_OWNER, aBody({ reference: 'PO-1' })));
    expect(order.reference).toBe('PO-1');
  });
});
