import { randomUUID } from 'node:crypto';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { type ComposedServer, composeServer } from './composed-server.ts';

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly key?: string;
}

const place = (key?: string): Request => ({
  method: 'POST',
  path: '',
  body: AN_ORDER,
  ...(key !== undefined && { key }),
});
const cancel = (id: string, key?: string) => ({ ...place(key), path: `/${id}/cancel`, body: '{"reason":"no"}' });
const adjust = (id: string) => ({
  ...place(),
  path: `/${id}/adjustments`,
  body: '{"adjustments":[{"type":"shipping","name":"Parcel","amount":{"amount":495,"currency":"EUR"}}]}',
});
const fulfill = (id: string) => ({ ...place(), path: `/${id}/fulfillments`, body: '{}' });
const get = (path: string): Request => ({ method: 'GET', path });
const patch = (id: string): Request => ({ method: 'PATCH', path: `/${id}`, body: '{"note":"soon"}' });
const remove = (id: string): Request => ({ method: 'DELETE', path: `/${id}` });

/** Requests about the order `id`, which was just placed, of which the last is counted, with its status and the number of statements. */
const COUNTED: readonly (readonly [string, (id: string) => readonly [...Request[], Request], number, number])[] = [
  ['placing an order', () => [place()], 201, 1],
  ['placing an order with a key', () => [place(randomUUID())], 201, 1],
  ['retrying to place an order', (id) => [place(id), place(id)], 201, 1],
  ['placing an invalid order', () => [{ ...place(), body: '{}' }], 422, 0],
  ['reading an order', (id) => [get(`/${id}`)], 200, 1],
  ['reading its items', (id) => [get(`/${id}/items`)], 200, 1],
  ['listing its versions', (id) => [get(`/${id}/versions`)], 200, 1],
  ['finding the version of a time', (id) => [get(`/${id}/versions?at=9999-12-31T23:59:59Z`)], 200, 1],
  ['reading one of its versions', (id) => [get(`/${id}/versions/1`)], 200, 1],
  ['listing orders', () => [get('')], 200, 1],
  ['listing orders of a status', () => [get('?status=pending&limit=2')], 200, 1],
  ['changing an order', (id) => [patch(id)], 200, 2],
  ['changing an order with a key', (id) => [{ ...patch(id), key: id }], 200, 2],
  ['cancelling an order', (id) => [cancel(id)], 200, 2],
  ['cancelling an order with a key', (id) => [cancel(id, id)], 200, 2],
  ['retrying to cancel an order', (id) => [cancel(id, id), cancel(id, id)], 200, 1],
  ['retrying to cancel a deleted order', (id) => [cancel(id, id), remove(id), cancel(id, id)], 200, 2],
  ['charging for an order', (id) => [adjust(id)], 200, 2],
  ['adding items to an order', (id) => [{ ...place(), path: `/${id}/items` }], 200, 2],
  ['fulfilling an order with charges', (id) => [adjust(id), fulfill(id)], 200, 2],
  ['reading an order with charges', (id) => [adjust(id), fulfill(id), get(`/${id}`)], 200, 1],
  ['deleting an order', (id) => [remove(id)], 204, 2],
  ['deleting an order with a key', (id) => [{ ...remove(id), key: id }], 204, 2],
];

let proxy: PostgresProxy;
let server: ComposedServer;
let apiKey: string;

beforeAll(async () => {
  server = await composeServer({}, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  apiKey = await server.issueKey('shop');
  // From here on the API key is cached and the connection open.
  await send(place());
});

afterAll(async () => {
  await server.close();
  await proxy.close();
});

async function send({ method, path, body, key }: Request) {
  return await server.app.inject({
    method,
    url: `/v1/orders${path}`,
    headers: {
      'x-api-key': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { payload: body }),
  });
}

it.each(COUNTED)('%s takes a fixed number of statements', async (_, requestsAbout, status, statements) => {
  const { id } = (await send(place())).json<{ id: string }>();
  let last = 0;
  for (const request of requestsAbout(id)) {
    proxy.clear();
    last = (await send(request)).statusCode;
  }
  expect(last).toBe(status);
  expect(proxy.statements.map(({ text }) => text)).toHaveLength(statements);
  // Each statement was prepared before, so that only its values are sent.
  expect(proxy.statements.map(({ name }) => name)).not.toContain('');
});
