// Places, pays, ships, lists and cancels orders on a running server.
//   ORDERS_URL      its address. Default: http://127.0.0.1:3000
//   ORDERS_API_KEY  an API key. Default: the demo key that `start` stores in .data of the repository
import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';

const url = process.env.ORDERS_URL ?? 'http://127.0.0.1:3000';
const key =
  process.env.ORDERS_API_KEY ?? (await readFile(new URL('../../.data/demo-api-key', import.meta.url), 'utf8')).trim();
const orders = JSON.parse(await readFile(new URL('orders.json', import.meta.url), 'utf8'));
// References are unique for each client, so a second run needs others.
const run = Date.now().toString(36);

/** Sends a request, says what came back, and insists on the status. */
async function send(expected, method, path, body, headers = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  console.log(`${method} ${path.replace(/after=[^&]+/, 'after=…')} → ${response.status}`);
  assert.equal(response.status, expected, text);
  return { headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const money = ({ amount, currency }) => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
};

console.log(
  `\nPlace ${orders.length} orders. The Idempotency-Key makes a retry safe: the second response is the first.`,
);
const placed = [];
for (const order of orders) {
  const body = { ...order, reference: `${order.reference} ${run}` };
  const once = { 'idempotency-key': `quickstart-${run}-${placed.length}` };
  const first = await send(201, 'POST', '/v1/orders', body, once);
  const again = await send(201, 'POST', '/v1/orders', body, once);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
  console.log(`  ${first.body.reference}: ${first.body.items.length} items, ${money(first.body.total)}`);
  placed.push(first);
}

console.log('\nPay the first and ship it, each only if no one changed it meanwhile (If-Match).');
const [first, second] = placed;
const path = first.headers.get('location');
const paid = await send(200, 'PATCH', path, { status: 'paid' }, { 'if-match': first.headers.get('etag') });
const shipped = await send(200, 'PATCH', path, { status: 'shipped' }, { 'if-match': paid.headers.get('etag') });
console.log(`  ${shipped.body.status} at ${shipped.body.shipped_at}, version ${shipped.body.version}`);
await send(412, 'PATCH', path, { note: 'too late' }, { 'if-match': first.headers.get('etag') });

console.log('\nList all orders by cursor, three to a page.');
const seen = new Set();
for (let next = '/v1/orders?limit=3'; next;) {
  const { body, headers } = await send(200, 'GET', next);
  for (const order of body.data) {
    assert.ok(!seen.has(order.id), 'an order came twice');
    seen.add(order.id);
  }
  next = headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];
}
assert.ok(
  placed.every(({ body }) => seen.has(body.id)),
  'an order is missing from the list',
);
console.log(`  ${seen.size} orders, each once`);

console.log('\nCancel the second. Cancelling it again is a conflict.');
const cancelPath = `${second.headers.get('location')}/cancel`;
const cancelled = await send(200, 'POST', cancelPath, { reason: 'ordered twice' });
console.log(`  ${cancelled.body.status}: ${cancelled.body.cancel_reason}`);
const conflict = await send(409, 'POST', cancelPath);
assert.equal(conflict.body.code, 'order_already_cancelled');
console.log(conflict.body);
