import { randomUUID } from 'node:crypto';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ComposedServer, composeServer } from './composed-server.ts';
import { AN_ORDER } from '../programs/running-server.ts';

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly key?: string;
}

/** Sends a request about the order `id`. For a retry, those of `first` are sent before it and not counted. */
interface Counted {
  readonly name: string;
  readonly request: (id: string) => Request;
  readonly first?: (id: string) => readonly Request[];
  readonly status: number;
  readonly statements: number;
}

const place = (key?: string): Request => ({
  method: 'POST',
  path: '',
  body: AN_ORDER,
  ...(key !== undefined && { key }),
});
const cancel = (id: string, key?: string): Request => ({
  ...place(key),
  path: `/${id}/cancel`,
  body: '{"reason":"no"}',
});
const get = (path: string): Request => ({ method: 'GET', path });
const patch = (id: string): Request => ({ method: 'PATCH', path: `/${id}`, body: '{"note":"soon"}' });
const remove = (id: string): Request => ({ method: 'DELETE', path: `/${id}` });

const COUNTED: readonly Counted[] = [
  { name: 'placing an order', request: () => place(), status: 201, statements: 1 },
  { name: 'placing an order with a key', request: () => place(randomUUID()), status: 201, statements: 1 },
  {
    name: 'retrying to place an order',
    first: (id) => [place(id)],
    request: (id) => place(id),
    status: 201,
    statements: 1,
  },
  { name: 'placing an invalid order', request: () => ({ ...place(), body: '{}' }), status: 422, statements: 0 },
  { name: 'reading an order', request: (id) => get(`/${id}`), status: 200, statements: 1 },
  { name: 'reading its items', request: (id) => get(`/${id}/items`), status: 200, statements: 1 },
  { name: 'listing its versions', request: (id) => get(`/${id}/versions`), status: 200, statements: 2 },
  {
    name: 'finding the version of a time',
    request: (id) => get(`/${id}/versions?at=9999-12-31T23:59:59Z`),
    status: 200,
    statements: 2,
  },
  { name: 'reading one of its versions', request: (id) => get(`/${id}/versions/1`), status: 200, statements: 2 },
  { name: 'listing orders', request: () => get(''), status: 200, statements: 1 },
  { name: 'listing orders of a status', request: () => get('?status=pending&limit=2'), status: 200, statements: 1 },
  { name: 'changing an order', request: patch, status: 200, statements: 2 },
  { name: 'changing an order with a key', request: (id) => ({ ...patch(id), key: id }), status: 200, statements: 2 },
  { name: 'cancelling an order', request: (id) => cancel(id), status: 200, statements: 2 },
  { name: 'cancelling an order with a key', request: (id) => cancel(id, id), status: 200, statements: 2 },
  {
    name: 'retrying to cancel an order',
    first: (id) => [cancel(id, id)],
    request: (id) => cancel(id, id),
    status: 200,
    statements: 1,
  },
  {
    name: 'retrying to cancel a deleted order',
    first: (id) => [cancel(id, id), remove(id)],
    request: (id) => cancel(id, id),
    status: 200,
    statements: 2,
  },
  { name: 'deleting an order', request: remove, status: 204, statements: 2 },
  { name: 'deleting an order with a key', request: (id) => ({ ...remove(id), key: id }), status: 204, statements: 2 },
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

it.each(COUNTED)('$name takes $statements statements', async ({ first, request, status, statements }) => {
  const { id } = (await send(place())).json<{ id: string }>();
  for (const earlier of first?.(id) ?? []) await send(earlier);
  proxy.clear();
  expect((await send(request(id))).statusCode).toBe(status);
  expect(proxy.statements.map(({ text }) => text)).toHaveLength(statements);
  // Each statement was prepared before, so that only its values are sent.
  expect(proxy.statements.map(({ name }) => name)).not.toContain('');
});
