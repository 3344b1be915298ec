import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { compose } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { openStore, type Store } from '../src/store.ts';
import { AN_ORDER } from './running-server.ts';

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly key?: string;
}

/** A request about the order `id`; when it is a repeat, `first` is sent before it and not counted. */
interface Counted {
  readonly name: string;
  readonly request: (id: string) => Request;
  readonly first?: (id: string) => Request;
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
  { name: 'placing an order again', first: (id) => place(id), request: (id) => place(id), status: 201, statements: 1 },
  { name: 'an order that is not one', request: () => ({ ...place(), body: '{}' }), status: 422, statements: 0 },
  { name: 'reading an order', request: (id) => get(`/${id}`), status: 200, statements: 1 },
  { name: 'reading its items', request: (id) => get(`/${id}/items`), status: 200, statements: 1 },
  { name: 'listing orders', request: () => get(''), status: 200, statements: 1 },
  { name: 'listing orders of a status', request: () => get('?status=pending&limit=2'), status: 200, statements: 1 },
  { name: 'changing an order', request: patch, status: 200, statements: 2 },
  { name: 'changing an order with a key', request: (id) => ({ ...patch(id), key: id }), status: 200, statements: 2 },
  { name: 'cancelling an order', request: (id) => cancel(id), status: 200, statements: 2 },
  { name: 'cancelling an order with a key', request: (id) => cancel(id, id), status: 200, statements: 2 },
  {
    name: 'cancelling an order again',
    first: (id) => cancel(id, id),
    request: (id) => cancel(id, id),
    status: 200,
    statements: 1,
  },
  { name: 'deleting an order', request: remove, status: 204, statements: 2 },
  { name: 'deleting an order with a key', request: (id) => ({ ...remove(id), key: id }), status: 204, statements: 2 },
];

let folder: string;
let postgres: EmbeddedPostgres;
let proxy: PostgresProxy;
let store: Store;
let app: FastifyInstance;
let apiKey: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-statements-'));
  const dataDir = join(folder, 'data');
  // By a program, because it keeps whose the files are.
  await promisify(execFile)('cp', ['-a', inject('preparedDataDir'), dataDir]);
  postgres = await startEmbeddedPostgres({ dataDir });
  proxy = await startPostgresProxy(postgres.url);
  const config = readConfig({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' });
  store = await openStore(config, 'alone', () => undefined);
  app = await compose(config, { database: store.database, log: createLog(config) });
  const { key, prefix, hash } = newApiKey();
  apiKey = key;
  const created_at = new Date().toISOString();
  const known = { keyHash: hash, prefix, owner: 'shop', scopes: SCOPES, created_at, expires_at: null };
  (await store.apiKeys.insert(known))._unsafeUnwrap();
  // From here on the API key is known and the connection made.
  await send(place());
});

afterAll(async () => {
  await app.close();
  await store.close();
  await proxy.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send({ method, path, body, key }: Request) {
  return await app.inject({
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
  if (first) await send(first(id));
  proxy.clear();
  expect((await send(request(id))).statusCode).toBe(status);
  expect(proxy.statements.map(({ text }) => text)).toHaveLength(statements);
  // Each was parsed and planned before, so that only its values are new.
  expect(proxy.statements.map(({ name }) => name)).not.toContain('');
});
