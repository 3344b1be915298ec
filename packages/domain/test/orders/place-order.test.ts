import { CURRENCIES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, CUSTOMER, fails, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const anId: unknown = expect.stringMatching(UUID_V7);

const price = (amount: number, currency = 'EUR') => ({ amount, currency });

describe('placing an order', () => {
  it('creates a pending order at version 1 with default values, and records one event without them', async () => {
    const domain = aDomain();
    const { order, event, replayed } = await succeeds(domain.placeOrder(OWNER, { items: [aLine()] }));
    expect(order).toEqual({
      id: anId,
      status: 'pending',
      available_transitions: ['paid', 'cancelled'],
      customer_id: null,
      reference: null,
      external_ids: {},
      buyer: null,
      shipping_address: null,
      billing_address: null,
      items: [
        {
          id: anId,
          ...aLine(),
          fulfilled_quantity: 0,
          cancelled_quantity: 0,
          returned_quantity: 0,
          total: price(1999),
          metadata: {},
        },
      ],
      adjustments: [],
      fulfillments: [],
      subtotal: price(1999),
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
      corrected_at: null,
      erased_at: null,
    });
    expect(replayed).toBe(false);
    expect(event).toEqual({
      id: anId,
      type: 'order.placed',
      owner: OWNER,
      aggregate_id: order.id,
      version: 1,
      occurred_at: NOW,
      changed: [],
      actor: null,
      external_user_id: null,
    });
    expect(domain.events()).toEqual([event]);
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it('stores the fields of the client, with its customer_id in lower case, and null as an absent field', async () => {
    const details = { reference: ' PO 1 ', note: 'ring\n\ttwice', metadata: { campaign: 'spring', empty: '' } };
    const order = await aPlacedOrder(aDomain(), { customer_id: CUSTOMER.toUpperCase(), ...details });
    expect(order).toMatchObject({ customer_id: CUSTOMER, ...details });
    const absent = { customer_id: null, reference: null, note: null };
    expect(await aPlacedOrder(aDomain(), { ...absent, metadata: null })).toMatchObject({ ...absent, metadata: {} });
  });

  it('accepts every supported currency', async () => {
    const domain = aDomain();
    for (const currency of CURRENCIES) {
      const { total } = await aPlacedOrder(domain, { items: [aLine({ unit_price: price(1, currency) })] });
      expect(total).toEqual(price(1, currency));
    }
    expect(CURRENCIES.size).toBeGreaterThan(150);
  });

  it.each([
    ['the second line', ['EUR', 'USD'], 'items[1].unit_price.currency'],
    ['the first line that differs', ['EUR', 'EUR', 'JPY', 'USD'], 'items[2].unit_price.currency'],
  ])('returns currency_mismatch for two currencies with the path of %s', async (_, currencies, field) => {
    const domain = aDomain();
    // The last line costs nothing.
    const items = currencies.map((currency, index) =>
      aLine({ unit_price: price(currencies.length - 1 - index, currency) }),
    );
    const error = await fails(domain.placeOrder(OWNER, aBody({ items })));
    expect(error).toEqual({ type: 'currency_mismatch', currency: 'EUR', field });
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
  });
});
