import { type Order, ORDERS, presentOrder } from '@orders/domain';
import { aBuyer, anAddress, anItem, anOrder } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { describeOrder, moneyOf } from '../../../src/commands/api/printed.ts';

const EUR = (amount: number) => ({ amount, currency: 'EUR' });
const item = anItem({ sku: 'MUG', name: 'Mug', quantity: 3, unit_price: EUR(1000), total: EUR(2000) });
const adjustment = { item_id: null, included: false, created_at: '2026-01-02T03:04:05.678Z' };
const linesOf = (order: Partial<Order>) =>
  describeOrder({ ...presentOrder(anOrder(order), ORDERS), custom: null }).split('\n');

/** Currencies of which `Intl` has fewer digits than ISO 4217, as of IQD. */
const FEWER = 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'.split(' ');

const PRINTED: readonly (readonly [amount: number, currency: string, text: string])[] = [
  [0, 'EUR', '0.00'],
  [-5, 'EUR', '-0.05'],
  [Number.MAX_SAFE_INTEGER - 1, 'EUR', '90071992547409.90'],
  [1250, 'JPY', '1250'],
  [1250, 'IQD', '1.250'],
  ...['BGN', ...FEWER].map((currency) => [1250, currency, '12.50'] as const),
];

it.each(PRINTED)('prints %i minor units of %s as %s', (amount, currency, text) => {
  expect(moneyOf({ amount, currency })).toBe(`${text} ${currency}`);
});

it('prints the quantities and adjustments of an order, and its subtotal with them, if there are any', () => {
  const plain = linesOf({ items: [item] });
  expect(plain.slice(plain.indexOf('items'))).toEqual(['items', '  3 x MUG  Mug  10.00 EUR', '']);
  expect(plain.join('\n')).not.toMatch(/subtotal|adjustments|fulfillments/);
  const lines = linesOf({
    items: [{ ...item, fulfilled_quantity: 2, cancelled_quantity: 1, returned_quantity: 0 }],
    adjustments: [
      { ...adjustment, id: '1', type: 'discount', name: 'Spring\u001B', amount: EUR(-250) },
      { ...adjustment, id: '2', type: 'tax', name: 'VAT', amount: EUR(279), included: true },
    ],
  });
  expect(lines.slice(lines.indexOf('items'))).toEqual([
    'items',
    '  3 x MUG  Mug  10.00 EUR (2 fulfilled, 1 cancelled)',
    'adjustments',
    '  discount  Spring   -2.50 EUR',
    '  tax  VAT  2.79 EUR (included)',
    '',
  ]);
  expect(lines.join('\n')).toMatch(/^subtotal +20\.00 EUR\ntotal +17\.50 EUR$/m);
});

it('prints what is set of a buyer and an address, and of the metadata of items', () => {
  expect(linesOf({}).join('\n')).not.toMatch(/buyer|address|external_ids|metadata/);
  const lines = linesOf({
    external_ids: { erp: ['4711'] },
    buyer: aBuyer({ name: 'Ada\u001B' }),
    shipping_address: anAddress({ name: null, line1: null, city: null, postal_code: null }),
    items: [{ ...item, metadata: { size: 'L' } }],
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^external_ids +\{"erp":\["4711"\]\}$/),
      expect.stringMatching(/^buyer +\{"name":"Ada.*","email":"Ada@example.com"\}$/),
      expect.stringMatching(/^shipping_address +\{"country":"GB"\}$/),
      '  3 x MUG  Mug  10.00 EUR  {"size":"L"}',
    ]),
  );
});
