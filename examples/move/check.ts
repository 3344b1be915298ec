// Imports the samples of both shops as `orders import` does, and compares the totals with those in the files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { parse } from 'csv-parse/sync';
import type { Result } from 'neverthrow';
import { z } from 'zod';
import { fromMedusa } from './from-medusa.ts';
import { fromShopify } from './from-shopify.ts';
import type { ImportLine } from './records.ts';

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
      orders.push(outcome.order.total);
    }
  return totalsOf(orders);
}

type Shop = ReturnType<typeof aShop>;

function aShop() {
  return createDomain(inMemoryStore());
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

/** What each order of the page has cost, less what was paid back. */
async function inMedusa(): Promise<Totals> {
  const Payments = z.tuple([z.object({ refunded_amount: z.number() })]);
  const Page = z.object({ orders: z.array(z.object({ total: z.number(), payment_collections: Payments })) });
  const { orders } = Page.parse(JSON.parse(await readFile(json, 'utf8')));
  return totalsOf(
    orders.map(({ total, payment_collections: [{ refunded_amount }] }) => ({
      currency: 'EUR',
      amount: Math.round((total - refunded_amount) * 100),
    })),
  );
}

for (const [name, read, expected] of [
  ['Shopify', () => fromShopify(csv), await inShopify()],
  ['Medusa', () => fromMedusa([json]), await inMedusa()],
] as const) {
  const shop = aShop();
  assert.deepEqual(await imported(read(), shop, false), expected);
  assert.deepEqual(await imported(read(), shop, true), expected, 'a second import makes other orders');
  console.log(name, Object.fromEntries(expected));
}

function valueOf<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error('an import failed', { cause: result.error });
  return result.value;
}
