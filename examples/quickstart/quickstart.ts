// Places, pays, ships in parts, lists and cancels orders on a running server, by its client.
//   ORDERS_URL      its address. Default: that of the server that `start` runs
//   ORDERS_API_KEY  an API key. Default on this machine: the demo key that `start` stores in DATA_DIR
import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOrdersClient, type Money } from '@orders/client';
import { minorUnits } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import inputs from './orders.json' with { type: 'json' };

const { DATA_DIR = '.data' } = process.env;
const read = (file: string) => readFile(join(DATA_DIR, file), 'utf8');
/** Returns the address of the server that `start` runs. That of one that has crashed may be another program's now. */
async function startedServer(): Promise<string | undefined> {
  try {
    const [, url, pid, started] =
      /"url":"([^"]+)","pid":(\d+)(?:,"started":"(\d+)")?/.exec(await read('server.json')) ?? [];
    process.kill(Number(pid), 0); // Throws if there is no such process.
    const isOther = started && !(await readFile(`/proc/${pid}/stat`, 'utf8')).includes(` ${started} `);
    return isOther ? undefined : url;
  } catch {
    return undefined;
  }
}

const { ORDERS_URL, ORDERS_API_KEY: given } = process.env;
const baseUrl = ORDERS_URL || (await startedServer());
if (!baseUrl || !URL.canParse(baseUrl)) {
  console.error(
    baseUrl ? `ORDERS_URL is no URL: ${baseUrl}` : `No server runs on ${DATA_DIR}: start one, or set ORDERS_URL.`,
  );
  process.exit(1);
}
const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
assert.ok(given !== undefined || isThisMachine, 'ORDERS_API_KEY is required for a server on another machine');
const apiKey = given ?? (await read('demo-api-key')).trim();
const orders = createOrdersClient({ baseUrl, credentials: { apiKey } });
// References are unique for each client, so a second run needs others.
const run = Date.now().toString(36);

/** Returns the value of a request that must succeed. */
async function valueOf<T>(
  request: ResultAsync<T, { readonly type: string; readonly detail?: string | undefined; readonly reason?: string }>,
) {
  const result = await request;
  if (result.isErr()) {
    const { type, detail, reason } = result.error;
    console.error(`${baseUrl}: ${type}: ${detail ?? reason}`);
    process.exit(1);
  }
  return result.value;
}

/** Returns an amount for people. Its digits are those of ISO 4217: `Intl` has fewer for some currencies. */
function amountOf({ amount, currency }: Money): string {
  const digits = minorUnits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...decimals }).format(amount / 10 ** digits);
}

console.log(`\nPlace ${inputs.length} orders. The idempotency key makes a retry safe: the second result is the first.`);
const placed = [];
for (const [index, input] of inputs.entries()) {
  const order = { ...input, reference: `${input.reference} ${run}` };
  const once = { idempotencyKey: `quickstart-${run}-${index}` };
  const first = await valueOf(orders.place(order, once));
  const again = await valueOf(orders.place(order, once));
  assert.deepEqual(again, { ...first, replayed: true });
  console.log(`  ${first.order.reference}: ${first.order.items.length} items, ${amountOf(first.order.total)}`);
  placed.push(first.order);
}
const [first, second] = placed;
assert.ok(first && second);

console.log('\nCharge the delivery of the first. Then pay and ship it, each only if no one changed it meanwhile.');
const amount = { amount: 490, currency: first.total.currency };
const charged = await valueOf(orders.adjust(first.id, { adjustments: [{ type: 'shipping', name: 'Parcel', amount }] }));
console.log(`  ${amountOf(first.total)} + ${amountOf(amount)} = ${amountOf(charged.order.total)}`);
const paid = await valueOf(orders.change(first.id, { status: 'paid' }, { ifVersion: charged.order.version }));
const [mugs] = first.items;
assert.ok(mugs);
await valueOf(
  orders.fulfill(first.id, { items: [{ item_id: mugs.id, quantity: 12 }] }, { ifVersion: paid.order.version }),
);
const { order: sent } = await valueOf(orders.fulfill(first.id, { tracking: { carrier: 'DHL' } }));
for (const { items } of sent.fulfillments)
  console.log(`  a parcel of ${items.map(({ quantity }) => quantity).join(' and ')}`);
const shipped = await valueOf(orders.change(first.id, { status: 'shipped' }, { ifVersion: sent.version }));
console.log(`  ${shipped.order.status} at ${shipped.order.shipped_at}, version ${shipped.order.version}`);
const late = await orders.change(first.id, { note: 'too late' }, { ifVersion: first.version });
assert.ok(late.isErr() && late.error.type === 'precondition_failed');
console.log(`  ${late.error.type}: the version is ${late.error.current_version} by now`);

console.log('\nList all orders, three to a page.');
const seen = new Set<string>();
for await (const order of orders.list({ limit: 3 })) {
  assert.ok(!seen.has(order.id), 'an order came twice');
  seen.add(order.id);
}
assert.ok(
  placed.every(({ id }) => seen.has(id)),
  'an order is missing from the list',
);
console.log(`  ${seen.size} orders, each once`);

console.log('\nCancel the second. Cancelling it again is a conflict.');
const cancelled = await valueOf(orders.cancel(second.id, { reason: 'ordered twice' }));
console.log(`  ${cancelled.order.status}: ${cancelled.order.cancel_reason}`);
const conflict = await orders.cancel(second.id);
assert.ok(conflict.isErr() && conflict.error.type === 'order_already_cancelled');
console.log(`  ${conflict.error.type}, at ${conflict.error.cancelled_at}`);
