// Imports the samples of both shops as `orders import` does, and compares the totals with those in the files, and who buys,
// the addresses, ids and properties with what is written here. Converts what is hard: the files in cases, and a table of
// amounts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { parse } from 'csv-parse/sync';
import type { Result } from 'neverthrow';
import { z } from 'zod';
import { fromMedusa } from './from-medusa.ts';
import { fromShopify } from './from-shopify.ts';
import type { ImportLine } from './records.ts';
import { Report } from './report.ts';

/** The number of orders, and the sum of their totals in minor units, by currency. */
type Totals = ReadonlyMap<string, { readonly orders: number; readonly sum: number }>;

const sample = (name: string) => new URL(name, import.meta.url).pathname;
const [csv, json] = [sample('shopify-orders.csv'), sample('medusa-orders.json')];

/** Imports lines, and returns the totals of the orders. Each order must be `replayed` or new. */
async function imported(lines: AsyncIterable<ImportLine>, domain: Shop, replayed: boolean): Promise<Totals> {
  const orders: { readonly currency: string; readonly amount: number }[] = [];
  for await (const line of lines)
    if (line.kind === 'customer') {
      const { kind: _, ...customer } = line;
      assert.equal(valueOf(await domain.importCustomer('shop', customer)).replayed, replayed);
    } else {
      const { kind: _, ...order } = line;
      const outcome = valueOf(await domain.importOrder('shop', order));
      assert.equal(outcome.replayed, replayed);
      const { buyer, shipping_address, billing_address, external_ids, metadata } = order;
      assert.partialDeepStrictEqual(outcome.order, {
        buyer,
        shipping_address,
        billing_address,
        external_ids,
        metadata,
      });
      orders.push(outcome.order.total);
    }
  return totalsOf(orders);
}

type Shop = ReturnType<typeof aShop>;

function aShop() {
  return createDomain(inMemoryStore());
}

async function all(lines: AsyncIterable<ImportLine>): Promise<readonly ImportLine[]> {
  const all: ImportLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

function totalsOf(orders: readonly { readonly currency: string; readonly amount: number }[]): Totals {
  const totals = new Map<string, { orders: number; sum: number }>();
  for (const { currency, amount } of orders) {
    const of = totals.get(currency) ?? { orders: 0, sum: 0 };
    totals.set(currency, { orders: of.orders + 1, sum: of.sum + amount });
  }
  return totals;
}

/** What each order of the CSV has cost, less what was paid back. */
async function inShopify(): Promise<Totals> {
  const rows: Record<string, string>[] = parse(await readFile(csv), { columns: true });
  const orders = rows.filter(({ Total }) => Total !== '');
  return totalsOf(
    orders.map(({ Currency: currency = '', Total, 'Refunded Amount': refunded }) => ({
      currency,
      amount: Math.round((Number(Total) - Number(refunded)) * (currency === 'JPY' ? 1 : 100)),
    })),
  );
}

/** What each order of the page has cost. All that was paid back is for returned items, which the totals lack already. */
async function inMedusa(): Promise<Totals> {
  const Page = z.object({ orders: z.array(z.object({ total: z.number() })) });
  const { orders } = Page.parse(JSON.parse(await readFile(json, 'utf8')));
  return totalsOf(orders.map(({ total }) => ({ currency: 'EUR', amount: Math.round(total * 100) })));
}

const BERLIN = {
  line1: 'Street 7',
  line2: '2nd floor',
  city: 'Berlin',
  region: 'BE',
  postal_code: '10115',
  country: 'DE',
};
const AT_HOME = { ...BERLIN, name: 'Jane Example', phone: '+49 30 5550100' };
const SHOPIFY = {
  external_ids: { shopify: ['5550000001'], payment: ['rk1abc', 'rk1abc.1'] },
  buyer: { name: 'Jane Example', company: 'Example GmbH', email: 'jane@example.com', phone: '+49 151 5550100' },
  shipping_address: AT_HOME,
  billing_address: { ...AT_HOME, company: 'Example GmbH' },
  metadata: { 'Discount Code': 'SPRING', 'gift wrap': 'red paper', 'delivery date': '2025-03-04' },
  items: [
    { metadata: { Vendor: 'Example Tea', 'Lineitem compare at price': '14.00' } },
    { metadata: { Vendor: 'Example Tea' } },
  ],
};
const COPENHAGEN = {
  name: 'Jane Example',
  line1: 'Street 1',
  city: 'Copenhagen',
  postal_code: '1264',
  country: 'DK',
};
const MEDUSA = {
  external_ids: { medusa: ['pay_01JQ0000000000000000000001'], stripe: ['pi_3Example'] },
  buyer: { name: 'Jane Example', company: 'Example ApS', email: 'jane@example.com', phone: '+45 55 50 01 00' },
  shipping_address: { ...COPENHAGEN, line2: '2. tv.', phone: '+45 55 50 01 00' },
  billing_address: { ...COPENHAGEN, line2: '2. tv.', phone: '+45 55 50 01 00' },
  metadata: { display_id: '1', channel: 'web', utm: '{"source":"newsletter"}' },
  items: [{ metadata: {} }, { metadata: { _engraving: 'Jane', colours: '["blue","white"]' } }],
};

for (const [name, read, expected, first] of [
  ['Shopify', () => fromShopify(csv, new Report()), await inShopify(), SHOPIFY],
  ['Medusa', () => fromMedusa([json], new Report()), await inMedusa(), MEDUSA],
] as const) {
  const shop = aShop();
  const lines = await all(read());
  assert.partialDeepStrictEqual(
    lines.find(({ kind }) => kind === 'order'),
    first,
  );
  assert.deepEqual(await imported(read(), shop, false), expected);
  assert.deepEqual(await imported(read(), shop, true), expected, 'a second import makes other orders');
  console.log(name, Object.fromEntries(expected));
}

/** Files with what is hard, the totals of their orders, what the report says at the end, and members of the first order. */
const CASES: readonly (readonly [
  name: string,
  totals: readonly string[],
  report: readonly RegExp[],
  first?: object,
])[] = [
  ['shopify-bgn.csv', ['1000 BGN'], [/^left out/]],
  ['shopify-semicolons.csv', ['1000 EUR'], [/^left out/]],
  ['shopify-thousands.csv', ['129900 EUR'], [/^left out/]],
  ['shopify-long-note.csv', ['1000 EUR'], [/^1 texts were cut/, /^left out/]],
  [
    'shopify-faults.csv',
    ['200 EUR'],
    [
      /^order #1 \(line 2\): its rows do not stand together$/,
      /^order #2 \(line 3\): item 1 \(B\): Lineitem price is no amount: "1,299"$/,
      /^order #1 \(line 4\): its rows do not stand together$/,
      /^order #3 \(line 5\): line 6 has another currency$/,
      /^order #4 \(line 7\): item 1 \(E\): Lineitem quantity is no whole number: "0.5"$/,
      /^order #5 \(line 8\): line 9 has no Name, and may be a part of it$/,
      /^order #6 \(line 10\): line 10 has more cells than there are columns$/,
      /^order #7 \(line 11\): created at is no time: "yesterday"$/,
    ],
  ],
  [
    'shopify-addresses.csv',
    ['100 EUR', '100 EUR'],
    [
      /^1 texts were cut/,
      /^left out, .*: billing address without the code of a country \(1, first #1\), shipping address .* \(1, first #2\), lineitem discount \(1, first #2\)$/,
    ],
    {
      external_ids: { payment: ['c1.1', 'c1.2'] },
      buyer: { name: 'Jan Example', email: 'jan@example.com' },
      shipping_address: {
        name: 'Jan Example',
        line1: 'Kaya 1, 2nd floor',
        city: 'Willemstad',
        postal_code: '00000',
        country: 'AN',
        phone: '+599 9 555 0100',
      },
      billing_address: null,
      metadata: { colour: 'red: dark\nfor Ada' },
      items: [{ metadata: { 'Lineitem properties': 'Engraving: Ada' } }],
    },
  ],
  [
    // Its shape and figures are those of a guide, with a made-up buyer.
    'medusa-published.json',
    ['2000 EUR'],
    [/^left out, with the number of orders: subtotal \(1, .*customer_id/],
    {
      external_ids: {},
      buyer: { name: 'Jane Example', email: 'jane@example.com' },
      shipping_address: COPENHAGEN,
      billing_address: COPENHAGEN,
      created_at: '2025-04-25T07:25:48.801Z',
      status: 'pending',
      items: [
        {
          sku: 'SWEATSHIRT-L',
          name: 'Medusa Sweatshirt, L',
          quantity: 1,
          unit_price: { amount: 1000, currency: 'EUR' },
          metadata: {},
        },
      ],
      adjustments: [{ type: 'shipping', amount: { amount: 1000, currency: 'EUR' } }],
      metadata: { display_id: '1' },
    },
  ],
  [
    'medusa-guest.json',
    ['1000 EUR'],
    [
      /^left out, .*: metadata of more than 20 keys \(1, first order order_guest \(#1\)\), metadata of the shipping address .*, billing address without the code of a country/,
    ],
    {
      customer_id: null,
      buyer: { name: 'Jane', email: 'jane@example.com' },
      shipping_address: { name: 'Jane', country: 'GB' },
      billing_address: null,
    },
  ],
  [
    'medusa-decimal-quantity.json',
    [],
    [/^order order_01M0 \(#7\): item 1 \(LAMP\): the quantity 0.5 is no whole number$/],
  ],
  [
    'medusa-unrounded.json',
    ['1000 EUR', '500 EUR'],
    [/^order order_bad: .*expected string.*email/, /^3 amounts were rounded/],
  ],
];

for (const [name, totals, expected, first = {}] of CASES) {
  const report = new Report();
  const file = sample(`cases/${name}`);
  const lines = await all(name.endsWith('.csv') ? fromShopify(file, report) : fromMedusa([file], report));
  const orders = lines.flatMap((line) => (line.kind === 'order' ? [line] : []));
  const stated = orders.map(({ total }) => `${total?.amount} ${total?.currency}`);
  assert.deepEqual(stated, totals, name);
  assert.partialDeepStrictEqual(orders[0] ?? {}, first, name);
  await imported(Readable.from(lines), aShop(), false);
  assert.equal(report.lines().length, expected.length, `${name}: ${report.lines().join('\n')}`);
  for (const [index, line] of report.lines().entries()) assert.match(line, expected[index] ?? /^$/, name);
  for (const { note } of orders) assert.ok(note?.isWellFormed() ?? true, name);
  console.log(name, stated.join(', '));
}

/** Amounts in a currency, in minor units, and whether they are counted as rounded. */
const AMOUNTS: readonly (readonly [amount: string | number, currency: string, minor: number, isRounded?: boolean])[] = [
  ['19.99', 'EUR', 1999],
  ['1,234,567.89', 'EUR', 123456789],
  [1.005, 'EUR', 101, true],
  [-1.005, 'EUR', -101, true],
  [0.1 + 0.2, 'EUR', 30],
  [19.99 - 1e-15, 'EUR', 1999],
  [1e-15, 'EUR', 0],
  ['12.50', 'HUF', 1250],
  ['12.5', 'IQD', 12500],
  ['12.5', 'JPY', 13, true],
  ['0.0049', 'EUR', 0, true],
];
for (const [amount, currency, minor, isRounded = false] of AMOUNTS) {
  const report = new Report();
  assert.deepEqual([report.money(amount, currency, 'it'), report.rounded], [{ amount: minor, currency }, +isRounded]);
}
for (const wrong of ['', '1,299', '1.299,00', 'EUR 1', 1e21, NaN])
  assert.throws(() => new Report().money(wrong, 'EUR', 'it'), /^Error: it is no amount/);
assert.throws(() => new Report().money('1', 'EURO', 'it'), /the currency "EURO" is unknown/);
assert.equal(new Report().text('🎁🎁🎁', 2), '🎁🎁');

function valueOf<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error('an import failed', { cause: result.error });
  return result.value;
}
