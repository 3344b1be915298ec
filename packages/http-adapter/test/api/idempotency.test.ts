import { describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, type Headers, undated } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { createdEndpoint, ENDPOINT_URL, ENDPOINTS } from '../fixtures/created-endpoint.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';

/*
 * draft-ietf-httpapi-idempotency-key-header. Sections that do not apply, or differ on purpose:
 * - 2.1, the value must be a quoted string: the bare text that most clients send is accepted as well.
 * - 2.6, a concurrent retry gets 409: it waits for the result instead.
 * - 2.6, a retry of a rejected request gets the same error: it is validated again instead.
 * - 2.7, 400 if a required key is missing: no operation requires a key.
 * - 2.2 and 2.5, duties of clients: the API is the server.
 */

const key = (value: string) => ({ 'idempotency-key': value });

/** The resources of a client, by their URLs. */
interface Resources {
  readonly order: string;
  readonly customer: string;
  readonly endpoint: string;
}

async function resourcesOf(client: Client): Promise<Resources> {
  const customer = await client.post('/v1/customers', { email: 'ada@example.com', name: 'Ada' });
  const [order, endpoint] = [await client.place(), await createdEndpoint(client)];
  return { order: order.url, customer: customer.headers['location'] ?? '', endpoint: endpoint.url };
}

type Write = (client: Client, of: Resources, headers: Headers) => Promise<ApiResponse>;

/** All operations that accept an idempotency key, except rotations: a replaced secret is not returned again. */
const WRITES: readonly (readonly [string, Write])[] = [
  ['a new order', (client, _, headers) => client.post('/v1/orders', aNewOrder({ reference: 'A-2' }), headers)],
  ['a change', (client, { order }, headers) => client.patch(order, { status: 'paid', note: 'x' }, headers)],
  ['a change of nothing', (client, { order }, headers) => client.patch(order, {}, headers)],
  ['a cancellation', (client, { order }, headers) => client.post(`${order}/cancel`, { reason: 'x' }, headers)],
  ['a deletion', (client, { order }, headers) => client.delete(order, headers)],
  ['a new customer', (client, _, headers) => client.post('/v1/customers', { email: 'bob@example.com' }, headers)],
  ['a change of a customer', (client, { customer }, headers) => client.patch(customer, { name: 'Ada L.' }, headers)],
  ['one of nothing', (client, { customer }, headers) => client.patch(customer, {}, headers)],
  ['a deletion of a customer', (client, { customer }, headers) => client.delete(customer, headers)],
  ['a new endpoint', (client, _, headers) => client.post(ENDPOINTS, { url: ENDPOINT_URL }, headers)],
  ['a change of an endpoint', (client, { endpoint }, headers) => client.patch(endpoint, { description: 'x' }, headers)],
  ['a deletion of an endpoint', (client, { endpoint }, headers) => client.delete(endpoint, headers)],
];

describe.each(WRITES)('a retry of %s', (_, write) => {
  const sent = { ...key('k'), 'x-request-id': 'the-same' };

  it('gets the first response with Idempotent-Replayed, whatever happened since, for one day', async () => {
    const { acme, clock } = await anApi();
    const of = await resourcesOf(acme);
    const first = undated(await write(acme, of, sent));
    expect(first.status).toBeLessThan(300);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    clock.advance(24 * 60 * 60 * 1000 - 1);
    const created = first.headers['location'];
    await acme.patch(created ?? of.order, { metadata: { later: 'yes' } });
    await acme.patch(of.customer, { metadata: { later: 'yes' } });
    const replay = { ...first, headers: { ...first.headers, 'idempotent-replayed': 'true' } };
    expect(undated(await write(acme, of, sent))).toEqual(replay);
    expect(undated(await write(acme, of, { ...sent, ...key('"k"') }))).toEqual(replay);
    clock.advance(1);
    expect((await write(acme, of, sent)).headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('a key', () => {
  it.each([
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['\\'.repeat(255), `"${'\\'.repeat(510)}"`],
  ])('is the same with and without quotes: %s', async (bare, quoted) => {
    const { acme } = await anApi();
    const first = await acme.place({}, key(bare));
    expect((await acme.place({}, key(quoted))).response).toMatchObject({ text: first.response.text });
  });

  it('is rejected if it is malformed', async () => {
    const { acme } = await anApi();
    for (const bad of ['', '""', '"a', '"a" "b"', String.raw`"a\b"`, '"a\tb"', 'a b', 'cl\xe9', 'x'.repeat(256)]) {
      const errors = [{ field: 'Idempotency-Key', code: 'invalid_format' }];
      const malformed = { status: 400, body: { code: 'invalid_idempotency_key', errors } };
      expect(await acme.post('/v1/orders', aNewOrder(), key(bad))).toMatchObject(malformed);
    }
  });

  it('is rejected if it is sent twice, and ignored on operations without changes', async () => {
    const { acme } = await anApi();
    const response = await acme.post('/v1/orders', aNewOrder(), { 'idempotency-key': ['a', 'a'] });
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
    expect((await acme.get('/v1/orders', key('a malformed key'))).status).toBe(200);
  });

  it('belongs to the command, whether it is POST cancel or PATCH, and whatever its conditions', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const first = await acme.post(`${url}/cancel`, { reason: 'x' }, { ...key('k'), 'if-match': '"1-1"' });
    const cancellation = { status: 'cancelled', cancel_reason: 'x' };
    const again = await acme.patch(url, cancellation, { ...key('k'), 'if-match': '"9-1"' });
    expect(again).toMatchObject({ status: 200, text: first.text, headers: { 'idempotent-replayed': 'true' } });
  });
});
