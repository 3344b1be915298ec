// Imports what a till sold, one sale per line of sales.ndjson.
// The receipt number identifies a line that was imported before, so a file may be imported again.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createDomain, type Order, untyped, type UntypedDomain } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { explain } from './explain.ts';

/** A line of the file; the domain validates the order. */
interface Sale {
  readonly at: string;
  readonly receipt: string;
  readonly paid: boolean;
  readonly order: unknown;
}

const OWNER = 'bakery';
const file = new URL('sales.ndjson', import.meta.url);
const lines = (await readFile(file, 'utf8')).trim().split('\n');
// The till writes its lines in this form.
const sales = lines.map((line) => JSON.parse(line) as Sale);

// The clock is the till's: an order is placed when it was sold, not when the file is read.
let now = new Date(0);
const { orders, customers, events } = inMemoryStore();
const clock = { now: () => now };
// What a file contains has no type, so the domain takes it untyped.
const domain = untyped(createDomain({ orders, customers, clock, ids: uuidv7Ids(clock) }));

const refused: string[] = [];
let repeated = 0;
for (const sale of sales) {
  now = new Date(sale.at);
  const line = await importSale(domain, sale).match(
    ({ order, replayed }) => {
      if (replayed) repeated += 1;
      return `${replayed ? 'known already' : order.status}, ${money(order)}`;
    },
    (error) => {
      refused.push(error.type);
      return `refused: ${explain(error)}`;
    },
  );
  console.log(`${sale.receipt}  ${line}`);
}

const taken = await domain.listOrders(OWNER, { status: ['paid'], sort: 'created_at' }).match(
  ({ data }) => data.reduce((sum, { total }) => sum + total.amount, 0),
  (error) => assert.fail(`the orders could not be listed: ${error.type}`),
);
console.log(`${events().length} events, ${refused.length} refused, ${repeated} repeated, ${taken} cents taken`);

assert.deepEqual(refused, ['validation_failed', 'currency_mismatch', 'reference_taken']);
assert.equal(repeated, 1);
assert.equal(taken, 2 * 520 + 289 + 12 * 145);
assert.deepEqual(
  events().map(({ type, occurred_at }) => `${occurred_at.slice(11, 19)} ${type}`),
  [
    '08:03:12 order.placed',
    '08:03:12 order.paid',
    '08:05:47 order.placed',
    '08:05:47 order.paid',
    '08:11:30 order.placed',
  ],
);

/** Places the order and, where it was paid at the till, says so; each step happens once, however often it is called. */
function importSale(domain: UntypedDomain, { receipt, paid, order }: Sale) {
  const placed = domain.placeOrder(OWNER, order, { idempotencyKey: `${receipt}/place` });
  if (!paid) return placed;
  return placed.andThen(({ order: { id } }) =>
    domain.changeOrder(OWNER, id, { status: 'paid' }, { idempotencyKey: `${receipt}/pay` }),
  );
}

function money({ total: { amount, currency } }: Order): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}
