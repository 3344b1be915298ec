import { METHODS } from 'node:http';
import { SCOPES } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { type ApiResponse, type Client, type Headers, undated } from '../fixtures/a-client.ts';
import { type Api, anApi } from '../fixtures/an-api.ts';
import { createdEndpoint } from '../fixtures/created-endpoint.ts';
import { type Operation, operationsOf } from '../hostile/operations.ts';
import { at, methodsOf, membersOf, textAt } from '../fixtures/json.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

const DOCUMENT: unknown = JSON.parse(JSON.stringify(currentDocument()));
const OPERATIONS = operationsOf(DOCUMENT).map((operation) => [operation.id, operation] as const);
const V1 = 'application/vnd.orders.v1+json';

/** Returns the scope of an operation in the document. */
function scopeOf({ method, path }: Operation): string {
  return textAt(DOCUMENT, 'paths', path, method.toLowerCase(), 'security', 1, 'ApiKey', 0);
}

/** Creates an order, a customer, an erasure and an endpoint, and returns their ids by the beginning of their paths. */
async function idsOf({ acme }: Pick<Api, 'acme'>): Promise<Readonly<Record<string, string>>> {
  const customer = await acme.post('/v1/customers', { email: 'ada@example.com' });
  const [order, endpoint] = [await acme.place(), await createdEndpoint(acme)];
  const erasure = await acme.post('/v1/erasures', { email: 'bob@example.com' });
  const persons = { customers: textAt(customer.body, 'id'), erasures: textAt(erasure.body, 'id') };
  return { orders: order.id, ...persons, webhook_endpoints: endpoint.id };
}

/** Returns a path with an id of its resource, and parts that the resource may lack. */
function filled(path: string, id: string): string {
  return path.replace('{id}', id).replace('{version}', '1').replace('{fulfillment_id}', NO_ORDER);
}

/** Sends a valid request of an operation about the resource with an id. */
function send(client: Client, { method, path, body }: Operation, id: string, headers: Headers = {}, base = '/v1') {
  const url = base + filled(path, id);
  if (!body) return client.send({ method, url, headers });
  const [type = ''] = body.types;
  const payload = JSON.stringify(body.examples[0]);
  return client.send({ method, url, headers: { 'content-type': type, ...headers }, payload });
}

/** Creates an API, and returns a function that sends the operation to it. */
async function anApiFor(operation: Operation) {
  const api = await anApi();
  const id = (await idsOf(api))[operation.path.split('/')[1] ?? ''] ?? '';
  const sendAs = (client: Client, headers?: Headers, base?: string) => send(client, operation, id, headers, base);
  return { ...api, id, sendAs, snapshot: () => snapshotOf(api.acme) };
}

/** Returns all that an owner has: every change of an order or customer is an event. */
async function snapshotOf(client: Client): Promise<string> {
  const all = [await client.get('/v1/events'), await client.get('/v1/webhook_endpoints')];
  return JSON.stringify(all.map(({ text }) => text));
}

/** A search is a read, although it has a body. */
const isRead = ({ id }: Operation) => /^(list|get|search)_/.test(id);

const codeOf = ({ status, body }: ApiResponse) => at(body, 'code') ?? status;

describe.each(OPERATIONS)('%s', (_, operation) => {
  it('has no effect without valid credentials or its scope, in another version or media type', async () => {
    const { acme, client, keys, sendAs, snapshot } = await anApiFor(operation);
    const before = await snapshot();
    const expired = keys.issue({ expires_at: '2026-01-02T03:04:05.678Z' });
    const revoked = keys.issue({ revoked_at: '2026-01-01T00:00:00.000Z' });
    for (const key of [undefined, '', 'ord_0123456789_unknown', expired, revoked]) {
      const headers = { 'www-authenticate': 'ApiKey realm="orders"' };
      expect(await sendAs(client(key))).toMatchObject({ status: 401, headers });
    }
    const scope = scopeOf(operation);
    const lacking = await sendAs(client(keys.issue({ scopes: SCOPES.filter((name) => name !== scope) })));
    expect(lacking).toMatchObject({ status: 403, body: { required_scope: scope } });
    expect(lacking.headers).not.toHaveProperty('www-authenticate');

    expect(codeOf(await sendAs(acme, { 'api-version': '2' }))).toBe('conflicting_parameters');
    expect(codeOf(await sendAs(acme, { 'api-version': '2' }, ''))).toBe('invalid_header');
    expect(codeOf(await sendAs(acme, { accept: 'text/html' }))).toBe('not_acceptable');
    const unsupported = await sendAs(acme, { 'content-type': 'text/plain', accept: 'text/html' });
    expect(unsupported.status).toBe(operation.body ? 415 : 406);
    const patchTypes = operation.method === 'PATCH' ? operation.body?.types.join(', ') : undefined;
    expect(unsupported.headers['accept-patch']).toBe(patchTypes);
    expect(await snapshot()).toBe(before);
    const alone = await sendAs(client(keys.issue({ scopes: [scope] })));
    // A further scope depends on what an endpoint receives, and on what the data of a person has.
    const further = operation.id.endsWith('_data') ? 'orders:read' : 'events:read';
    expect(alone.status === 403 ? at(alone.body, 'required_scope') : further).toBe(further);
    expect(alone.status).not.toBe(401);
  });

  it('is version 1 without a version in its path, and in the media type of its response', async () => {
    const responses: ApiResponse[] = [];
    for (const [base, accept] of [['/v1'], ['', V1]] as const) {
      const { acme, sendAs } = await anApiFor(operation);
      const sent = { 'x-request-id': 'the-same', ...(accept !== undefined && { accept }) };
      responses.push(undated(await sendAs(acme, sent, base)));
    }
    const [first, second] = responses;
    expect(first).toMatchObject({ headers: { 'api-version': '1' } });
    const type = first?.headers['content-type']?.replace('application/json', V1);
    expect(second).toEqual({
      ...first,
      headers: { ...first?.headers, ...(type !== undefined && { 'content-type': type }) },
    });
  });
});

it('an operation counts as a read, a write or a batch, whatever its outcome', async () => {
  const { client, keys } = await anApi({ rateLimits: { read: 9, write: 9, batch: 9 } });
  for (const [id, operation] of OPERATIONS) {
    const name = isRead(operation) ? 'read' : id.endsWith('_batch') ? 'batch' : 'write';
    const { headers } = await send(client(keys.issue({ owner: id })), operation, NO_ORDER);
    const counted = { 'ratelimit-policy': `"${name}";q=9;w=60`, ratelimit: `"${name}";r=8;t=60` };
    expect([id, headers]).toMatchObject([id, counted]);
  }
});

it('an idempotency key that a write does not support is rejected, because a retry would write again', async () => {
  const { acme } = await anApi();
  for (const [id, operation] of OPERATIONS) {
    const isSupported = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    const isRejected = codeOf(await send(acme, operation, NO_ORDER, { 'idempotency-key': id })) === 'invalid_header';
    expect([id, isRejected]).toEqual([id, !isSupported && !isRead(operation)]);
  }
});

it('an invalid user has no effect, and no operation needs one', async () => {
  const { acme, client, keys } = await anApi();
  const before = await snapshotOf(acme);
  for (const [id, operation] of OPERATIONS) {
    const rejected = await send(acme, operation, NO_ORDER, { 'orders-external-user-id': 'ada@example.com' });
    expect([id, rejected]).toMatchObject([id, { status: 400, body: { code: 'invalid_header' } }]);
    expect(at(rejected.body, 'errors', 0)).toMatchObject({ field: 'Orders-External-User-Id', code: 'invalid_format' });
    const [one, other] = [client(keys.issue({ owner: `${id} 1` })), client(keys.issue({ owner: `${id} 2` }))];
    const named = await send(one, operation, NO_ORDER, { 'orders-external-user-id': 'User 7' });
    expect([id, codeOf(named)]).toEqual([id, codeOf(await send(other, operation, NO_ORDER))]);
  }
  expect(await snapshotOf(acme)).toBe(before);
});

describe('a resource of another owner', () => {
  const ofResources = OPERATIONS.filter(([, { path }]) => path.includes('{id}'));

  it.each(ofResources)('has the response of a nonexistent one: %s', async (_, operation) => {
    const { client, keys, id, sendAs, snapshot } = await anApiFor(operation);
    const before = await snapshot();
    const other = client(keys.issue({ owner: 'other' }));
    for (const condition of [{}, { 'if-match': '"1-1"' }, { 'if-none-match': '*' }]) {
      const sent = { 'x-request-id': 'the-same', ...condition };
      const [theirs, none] = [await sendAs(other, sent), await send(other, operation, NO_ORDER, sent)].map(undated);
      expect(theirs?.status).toBe(404);
      expect(JSON.stringify(theirs).replaceAll(id, '')).toBe(JSON.stringify(none).replaceAll(NO_ORDER, ''));
    }
    expect(await snapshot()).toBe(before);
  });
});

describe('a path', () => {
  it('lists its methods for OPTIONS without credentials, and for all other methods', async () => {
    const api = await anApi();
    for (const path of membersOf(at(DOCUMENT, 'paths'))) {
      const url = `/v1${filled(path, NO_ORDER)}`;
      const own = methodsOf(DOCUMENT, path).map((name) => name.toUpperCase());
      const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ');
      const types = membersOf(at(DOCUMENT, 'paths', path, 'patch', 'requestBody', 'content'));
      const acceptPatch = types.length === 0 ? undefined : [...types, V1].join(', ');
      const options = await api.client().send({ method: 'OPTIONS', url });
      expect(options).toMatchObject({ status: 204, text: '', headers: { allow } });
      expect(options.headers['accept-patch']).toBe(acceptPatch);
      // CONNECT requests a tunnel and has no path.
      const others = METHODS.filter((name) => name !== 'CONNECT' && !allow.split(', ').includes(name));
      for (const method of path === '/orders' ? others : ['PUT']) {
        const { status, headers } = await sendBytes(api, head(`${method} ${url}?any=query HTTP/1.1`));
        expect([method, status, headers['allow'], headers['accept-patch']]).toEqual([method, 405, allow, acceptPatch]);
      }
    }
  });
});
