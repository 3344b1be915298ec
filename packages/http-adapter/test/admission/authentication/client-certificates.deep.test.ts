import { X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { aTlsApi } from './a-tls-api.ts';
import { anAuthority, type Authority, type Identity } from '../../fixtures/certificates.ts';
import { textAt } from '../../fixtures/json.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ORDERS = '/v1/orders';
const SHOP = 'spiffe://acme.example/shop';
const NAMED_SHOP = { extensions: `subjectAltName = URI:${SHOP}` };

const refused = (detail: string) => ({
  status: 401,
  headers: { 'www-authenticate': 'ApiKey realm="orders"' },
  body: { code: 'unauthenticated', detail },
});
const NOT_VALID = refused('The client certificate is untrusted, expired or not yet valid.');
const UNMAPPED = refused('The client certificate is not mapped to an owner.');
const NONE = refused('Send an API key in X-API-Key, or a client certificate.');

describe('a client certificate', () => {
  it('authenticates its owner, like an API key of the same owner', async () => {
    const { authority, certificates, client, keys } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP));
    const placed = await shop.post(ORDERS, aNewOrder());
    expect(placed.status).toBe(201);
    const url = `${ORDERS}/${textAt(placed.body, 'id')}`;
    expect((await shop.get(url)).text).toBe(placed.text);
    expect((await client().get(url, { 'x-api-key': keys.issue({ owner: 'acme' }) })).text).toBe(placed.text);
    expect((await client().get(url, { 'x-api-key': keys.issue({ owner: 'other' }) })).status).toBe(404);
  });

  it('is rejected while it maps to no owner, and does not appear in the response', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    const response = await client(await authority.issue({ subject: '/CN=shop-2' })).get(ORDERS);
    expect(response).toMatchObject(UNMAPPED);
    expect(response.text).not.toContain('shop-2');
  });
});

describe('the client certificate of a write', () => {
  it('is recorded by the beginning of its SHA-256 unless the store names it, and not accepted from a page of another site', async () => {
    const { authority, certificates, client, keys } = await aTlsApi();
    certificates.allow('CN=client');
    const identity = await authority.issue();
    const shop = client(identity);
    const url = `${ORDERS}/${textAt((await shop.post(ORDERS, aNewOrder())).body, 'id')}`;
    const { body } = await shop.get(`${url}/versions/1`);
    const digest = new X509Certificate(identity.cert).fingerprint256.replaceAll(':', '').toLowerCase();
    expect(body).toMatchObject({ actor: `certificate:${digest.slice(0, 16)}` });
    certificates.allow('CN=named', { actor: 'certificate:named' });
    const named = await client(await authority.issue({ subject: '/CN=named' })).post(ORDERS, aNewOrder());
    const first = await shop.get(`${ORDERS}/${textAt(named.body, 'id')}/versions/1`);
    expect(first.body).toMatchObject({ actor: 'certificate:named' });
    const origin = 'https://evil.example';
    const refused = { status: 403, body: { code: 'origin_not_allowed' } };
    expect(await shop.send('POST', `${url}/cancel`, { origin })).toMatchObject(refused);
    expect((await shop.send('GET', url, { origin })).status).toBe(200);
    const key = { origin, 'x-api-key': keys.issue({ owner: 'acme' }) };
    expect((await shop.send('POST', `${url}/cancel`, key)).status).toBe(200);
  });
});

describe('an untrusted client certificate', () => {
  it.each([
    ['a certificate of another authority', async () => (await anAuthority()).issue({ subject: '/CN=shop' })],
    [
      'an expired certificate',
      (authority) => authority.issue({ subject: '/CN=shop', to: new Date(Date.now() - DAY_MS / 2) }),
    ],
    [
      'a certificate that is not valid yet',
      (authority) => authority.issue({ subject: '/CN=shop', from: new Date(Date.now() + DAY_MS / 2) }),
    ],
    [
      'a server certificate',
      (authority) => authority.issue({ subject: '/CN=shop', extensions: 'extendedKeyUsage = serverAuth' }),
    ],
  ] satisfies readonly (readonly [string, (authority: Authority) => Promise<Identity>])[])(
    'is rejected without a lookup: %s',
    async (_, issue) => {
      const { authority, certificates, client } = await aTlsApi();
      certificates.allow('CN=shop');
      const shop = client(await issue(authority));
      expect(await shop.get(ORDERS)).toMatchObject(NOT_VALID);
      expect((await client(await authority.issue({ subject: '/CN=shop' })).get(ORDERS)).status).toBe(200);
      expect(certificates.lookedUp).toEqual([['CN=shop']]);
    },
  );

  it('is rejected when its session is resumed', async () => {
    const { certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    const shop = client(await (await anAuthority()).issue({ subject: '/CN=shop' }));
    await shop.get(ORDERS);
    expect(await shop.get(ORDERS)).toMatchObject({ resumedSession: true, ...NOT_VALID });
  });

  it('is rejected after a renegotiation on a connection with a valid certificate', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    // Only the result of TLS changes; the clock of the API is fixed.
    const to = new Date(Date.now() + 5000);
    const shop = client(await authority.issue({ subject: '/CN=shop', to }), { keepAlive: true, maxVersion: 'TLSv1.2' });
    const { status, socket } = await shop.get(ORDERS);
    expect(status).toBe(200);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(to.getTime()));
    await promisify(socket.renegotiate.bind(socket))({});
    expect(await shop.get(ORDERS)).toMatchObject({ reusedSocket: true, ...NOT_VALID });
  });
});

describe('the validity of a client certificate', () => {
  it.each([
    ['a persistent connection', true, 'TLSv1.3'],
    ['a resumed session', false, 'TLSv1.3'],
    ['a resumed session of TLS 1.2', false, 'TLSv1.2'],
  ] as const)('is checked for each request of %s', async (_, keepAlive, maxVersion) => {
    const { authority, certificates, client, clock } = await aTlsApi();
    certificates.allow('CN=shop');
    const to = new Date(Math.ceil(clock.now().getTime() / 1000) * 1000 + DAY_MS);
    const shop = client(await authority.issue({ subject: '/CN=shop', to }), { keepAlive, maxVersion });
    expect((await shop.get(ORDERS)).status).toBe(200);
    clock.advance(to.getTime() - clock.now().getTime());
    const how = { reusedSocket: keepAlive, resumedSession: !keepAlive };
    expect(await shop.get(ORDERS)).toMatchObject({ status: 200, ...how });
    clock.advance(1);
    expect(await shop.get(ORDERS)).toMatchObject({ ...NOT_VALID, ...how });
    clock.advance(-3 * DAY_MS);
    expect(await shop.get(ORDERS)).toMatchObject(NOT_VALID);
  });
});

describe('the store of client certificates', () => {
  it('is queried once within thirty seconds, so that a revocation takes effect', async () => {
    const { authority, certificates, client, clock } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP));
    expect((await shop.get(ORDERS)).status).toBe(200);
    certificates.revoke(SHOP);
    clock.advance(29_999);
    expect((await shop.get(ORDERS)).status).toBe(200);
    clock.advance(1);
    expect(await shop.get(ORDERS)).toMatchObject(UNMAPPED);
    expect(certificates.lookedUp).toHaveLength(2);
  });
});

describe('a credential in a header, sent with a client certificate,', () => {
  it.each([
    [{ 'x-api-key': 'ord_0123456789_unknown' }, refused('The API key is unknown, expired or revoked.')],
    [{ 'x-api-key': '' }, NONE],
    [{ authorization: 'Bearer x' }, NONE],
    [{ authorization: '' }, NONE],
  ])('is rejected if it is invalid, despite a valid certificate: %j', async (headers, response) => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP), { keepAlive: true });
    expect((await shop.get(ORDERS)).status).toBe(200);
    expect(await shop.get(ORDERS, headers)).toMatchObject(response);
  });
});
