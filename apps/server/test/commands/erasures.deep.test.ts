import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { placesOf } from '../../../../packages/persistence/test/erasures/places-of.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aFolder, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

/** What is in every field of the person, and must be nowhere in the end. */
const MARKER = `marker-${randomBytes(6).toString('hex')}`;
const PERSONAL = { note: MARKER, metadata: { [MARKER]: MARKER } };
const QUERIES: Readonly<Record<string, string>> = {
  '/events': '?include=resource&limit=100',
  '/order_statistics': '?interval=day&from=2026-01-01T00:00:00Z&before=2026-02-01T00:00:00Z',
};

/** Returns the paths of all reads of the API, for the resources with these ids. */
async function readPaths(ids: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const file = new URL(import.meta.resolve('@orders/http-adapter/openapi.json'));
  const Document = z.object({ paths: z.record(z.string(), z.object({ get: z.unknown().optional() })) });
  const { paths } = Document.parse(JSON.parse(await readFile(file, 'utf8')));
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const [, collection = ''] = path.split('/');
    const filled = path.replace('{id}', ids[collection] ?? '').replace('{version}', '1');
    return get ? [`/v1${filled}${QUERIES[path] ?? ''}`] : [];
  });
}

const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];

it('a customer and a guest are erased over HTTP and by commands, also in a restored database, and are nowhere afterwards', async () => {
  const database = await aDatabase();
  const { url } = database;
  const server = await startServerOn(database, {
    LOG_LEVEL: 'debug',
    METRICS_PORT: '0',
    WEBHOOKS: 'api',
    WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
  });
  const orders = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  const send = async (path: string, body?: object, key?: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
    const response = await server.request(path, body && { method: 'POST', headers, body: JSON.stringify(body) });
    return await response.text();
  };
  const idOf = (text: string) => /"id":"([^"]+)"/.exec(text)?.[1] ?? '';

  const person = { email: `${MARKER}@example.com`, name: MARKER, metadata: { [MARKER]: MARKER } };
  const endpointId = idOf(await send('/v1/webhook_endpoints', { url: 'https://hooks.example.com', types: null }));
  const id = idOf(await send('/v1/customers', person, 'customer'));
  expect(await send('/v1/customers', person)).toContain('email_taken');
  const order = { items: ITEMS, customer_id: id, ...PERSONAL };
  const orderId = idOf(await send('/v1/orders', order, 'order'));
  await send(`/v1/orders/${orderId}/fulfillments`, { tracking: { number: MARKER } });
  await send(`/v1/orders/${orderId}/cancel`, { reason: MARKER }, 'cancel');
  const byOperator = [orderId, '--owner', 'shop', '--reason', MARKER];
  expect((await orders('comment', ...byOperator, MARKER)).code).toBe(0);
  expect((await orders('correct', ...byOperator, '--status', 'paid')).code).toBe(0);

  const [customer, ...lines] = (await orders('customer-data', id, '--owner', 'shop')).stdout.trimEnd().split('\n');
  expect(JSON.parse(customer ?? '')).toMatchObject({ kind: 'customer', id, ...person });
  expect(lines.map((line) => /^{"kind":"(\w+)"/.exec(line)?.[1])).toEqual([
    'order',
    ...Array<string>(4).fill('order_version'),
    'order_comment',
  ]);

  expect(JSON.parse(await send(`/v1/customers/${id}/erasures`, {}))).toMatchObject({ erasure: { status: 'done' } });
  const list = (await orders('erasures', 'list')).stdout;
  expect(JSON.parse(list)).toMatchObject({ owner: 'shop', kind: 'customer', id });
  // As an earlier backup has it.
  await database.execute(`update orders.customers set email = '${MARKER}@example.com', email_key = '${MARKER}@example.com',
    name = '${MARKER}', erased_at = null, erasure = null, erasure_requested_at = null`);
  const file = join(await aFolder(), 'erasures.ndjson');
  await writeFile(file, list + list.replace(id, '019b0000-dddd-7000-8000-000000000000'));
  const replay = async () => (await orders('erasures', 'replay', file)).stdout;
  expect(await replay()).toBe('erased 1, erased before 0, unknown 1\n');
  const note = async () =>
    await server.request(`/v1/orders/${orderId}`, { method: 'PATCH', body: JSON.stringify({ note: MARKER }) });
  await note();
  expect(await replay()).toBe('erased 0, erased before 1, unknown 1\n');
  expect(await send(`/v1/orders/${orderId}`)).toContain(`"note":"${MARKER}"`);
  expect((await orders('customers', 'erase', id, '--owner', 'shop')).stdout).toBe(`erased ${id}\n`);
  expect(await send(`/v1/orders/${orderId}`)).toContain('"note":null');
  // The list has the time of the last request, and a backup from before it the text again.
  await writeFile(file, (await orders('erasures', 'list')).stdout);
  await database.execute('update orders.customers set erasure_requested_at = erased_at');
  await note();
  expect(await replay()).toBe('erased 1, erased before 0, unknown 0\n');
  expect(await replay()).toBe('erased 0, erased before 1, unknown 0\n');
  expect(await orders('customers', 'erase', id, '--owner', 'other')).toMatchObject({ code: 1, stdout: '' });

  const guest = { email: `guest-${MARKER}@example.com` };
  const guestOrder = idOf(await send('/v1/orders', { items: ITEMS, buyer: guest }, 'guest'));
  const stored = (await orders('person-data', guest.email, '--owner', 'shop')).stdout;
  expect(stored).toMatch(/^{"kind":"order",.*\n{"kind":"order_version",.*\n$/);
  const erasure = await send('/v1/erasures', guest, 'erasure');
  expect(erasure).toContain('"status":"done"');
  const kept = (await orders('erasures', 'list')).stdout.split('\n').find((line) => line.includes('"kind":"order"'));
  expect(JSON.parse(kept ?? '')).toMatchObject({ owner: 'shop', kind: 'order', id: guestOrder });
  await writeFile(file, kept ?? '');
  // As an earlier backup has it.
  await database.execute('delete from orders.erased_orders');
  await database.execute(`update orders.orders set erased_at = null, buyer = '{"email":"${guest.email}"}'
    where id = '${guestOrder}'`);
  expect(await replay()).toBe('erased 1, erased before 0, unknown 0\n');
  expect(await replay()).toBe('erased 0, erased before 1, unknown 0\n');
  expect((await orders('persons', 'erase', guest.email, '--owner', 'shop')).stdout).toMatch(/^erased [-\da-f]{36}\n$/);
  await writeFile(file, 'nothing\n');
  expect((await orders('erasures', 'replay', file)).stderr).toContain('FILE: line 1 is no line of erasures list');

  const read: string[] = [];
  const ids = { customers: id, orders: orderId, webhook_endpoints: endpointId, erasures: idOf(erasure) };
  for (const path of await readPaths(ids)) {
    const response = await server.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    read.push(await response.text());
  }
  for (const [path, body, key] of [
    ['/v1/customers', person, 'customer'],
    ['/v1/orders', order, 'order'],
    ['/v1/orders', { items: ITEMS, buyer: guest }, 'guest'],
    ['/v1/erasures', guest, 'erasure'],
    [`/v1/orders/${orderId}/cancel`, { reason: MARKER }, 'cancel'],
  ] as const)
    read.push(await send(path, body, key));
  expect(read.filter((text) => text.includes(MARKER))).toEqual([]);
  expect(read.at(-1)).toContain('"cancel_reason":null');
  expect(await database.execute(placesOf(MARKER))).toEqual([]);
  const { text: metrics } = await scrape(server);
  expect(server.output() + server.complaints() + metrics).not.toContain(MARKER);
  expect(await database.log()).not.toContain(MARKER);
});
