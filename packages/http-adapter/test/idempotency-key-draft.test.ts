import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from './a-client.ts';
import { anApi } from './an-api.ts';
import { createdEndpoint, ENDPOINT_URL } from './created-endpoint.ts';
import { at } from './json.ts';
import { aNewOrder } from './new-orders.ts';

/**
 * Tests of draft-ietf-httpapi-idempotency-key-header. The following sections do not apply, or differ on purpose:
 * - Section 2.1, the value must be a quoted string: the bare text that most clients send is accepted as well.
 * - Section 2.6, a concurrent retry gets 409: it waits for the result instead.
 * - Section 2.6, a retry of a rejected request gets the same error: it is validated again instead.
 * - Section 2.7, 400 if a required key is missing: no operation requires a key.
 * - Sections 2.2 and 2.5, duties of clients: the API is the server.
 */

const key = (value: string) => ({ 'idempotency-key': value });

/** All operations that accept an idempotency key, except rotations: a replaced secret is not returned again. */
const WRITES: readonly [
  string,
  (client: Client, url: string, headers: Record<string, string>) => Promise<ApiResponse>,
][] = [
  ['POST', (client, _, headers) => client.post('/v1/orders', aNewOrder(), headers)],
  ['POST cancel', (client, url, headers) => client.post(`${url}/cancel`, undefined, headers)],
  ['PATCH', (client, url, headers) => client.patch(url, { note: 'x' }, headers)],
  ['DELETE', (client, url, headers) => client.delete(url, headers)],
  ['POST of a customer', (client, _, headers) => client.post('/v1/customers', { email: 'ada@example.com' }, headers)],
  [
    'POST of a webhook endpoint',
    (client, _, headers) => client.post('/v1/webhook_endpoints', { url: ENDPOINT_URL }, headers),
  ],
  [
    'PATCH of a webhook endpoint',
    async (client, _, headers) => client.patch(await endpointOf(client), { description: 'x' }, headers),
  ],
  ['DELETE of a webhook endpoint', async (client, _, headers) => client.delete(await endpointOf(client), headers)],
];

const endpoints = new WeakMap<Client, Promise<string>>();

/** Returns the URL of an endpoint that the client has created, always the same. */
function endpointOf(client: Client): Promise<string> {
  const known = endpoints.get(client) ?? createdEndpoint(client).then(({ url }) => url);
  endpoints.set(client, known);
  return known;
}

describe.each(WRITES)('the Idempotency-Key draft for %s', (_, write) => {
  it('section 2.1: accepts a key as a structured-field string with escapes', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const first = await write(acme, url, key('"8e03978e-40d5-43e8-bc93-6894a57f9324"'));
    const escaped = await write(acme, (await acme.place()).url, key(String.raw`"a\"b\\c"`));
    expect(first.status).toBeLessThan(300);
    expect(escaped.status).not.toBe(400);
    const again = await write(acme, url, key('"8e03978e-40d5-43e8-bc93-6894a57f9324"'));
    expect(again.headers).toHaveProperty('idempotent-replayed', 'true');
  });

  it.each(['"a', '"a" "b"', String.raw`"a\b"`, '""', '"a\tb"'])(
    'section 2.1: rejects a malformed key: %s',
    async (bad) => {
      const { acme } = await anApi();
      const { url } = await acme.place();
      expect(await write(acme, url, key(bad))).toMatchObject({
        status: 400,
        body: { code: 'invalid_idempotency_key' },
      });
    },
  );

  it('section 2.3: expires a key after one day', async () => {
    const { acme, clock } = await anApi();
    const { url } = await acme.place();
    await write(acme, url, key('k'));
    clock.advance(24 * 60 * 60 * 1000);
    expect((await write(acme, url, key('k'))).headers).not.toHaveProperty('idempotent-replayed');
  });

  it('section 2.6: executes a request once and returns the first result for a retry', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const first = await write(acme, url, key('k'));
    const lists = async () => {
      const paths = ['/v1/orders', '/v1/customers', '/v1/webhook_endpoints'];
      return await Promise.all(paths.map(async (path) => (await acme.get(path)).text));
    };
    const before = await lists();
    expect(await write(acme, url, key('k'))).toMatchObject({ status: first.status, text: first.text });
    expect(await lists()).toEqual(before);
  });

  it('section 2.6: lets concurrent retries wait for the first request', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const responses = await Promise.all(Array.from({ length: 10 }, () => write(acme, url, key('k'))));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  });

  it('section 2.7: rejects a key with another request by 422', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    await write(acme, url, key('k'));
    const response = await acme.post('/v1/orders', aNewOrder({ note: 'another' }), key('k'));
    expect(response).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(at(response.body, 'type')).toEqual(expect.stringContaining('/problems/'));
  });
});

describe('the Idempotency-Key draft', () => {
  it('section 2.2: separates the keys of different clients', async () => {
    const { acme, client, keys } = await anApi();
    const other = client(keys.issue({ owner: 'other' }));
    const mine = await acme.place({}, key('k'));
    expect((await other.place({ note: 'theirs' }, key('k'))).id).not.toBe(mine.id);
  });

  it('section 2.6: validates a retry of a rejected request again, so that a corrected request may use its key', async () => {
    const { acme } = await anApi();
    expect((await acme.post('/v1/orders', { items: [] }, key('k'))).status).toBe(422);
    expect((await acme.post('/v1/orders', aNewOrder(), key('k'))).status).toBe(201);
  });

  it('ignores a key on operations without changes', async () => {
    const { acme } = await anApi();
    expect((await acme.get('/v1/orders', key('a malformed key'))).status).toBe(200);
  });
});
