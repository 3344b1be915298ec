import { promisify } from 'node:util';
import { errAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aTlsApi } from './a-tls-api.ts';
import { anAuthority, type Authority, type Identity } from './certificates.ts';
import { textAt } from './json.ts';
import { aNewOrder } from './new-orders.ts';

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
const NOBODY = refused('The client certificate is not mapped to an owner.');
const NONE = refused('Send an API key in X-API-Key, or a client certificate.');

describe('a client certificate', () => {
  it('lets in as its owner, who is the same with an API key', async () => {
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

  it('is good for its scopes alone', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(SHOP, { scopes: ['orders:read'] });
    const shop = client(await authority.issue(NAMED_SHOP));
    expect((await shop.get(ORDERS)).status).toBe(200);
    const response = await shop.post(ORDERS, aNewOrder());
    expect(response).toMatchObject({ status: 403, body: { required_scope: 'orders:write' } });
  });

  it('is nobody’s until somebody is named for it, and does not show in the answer', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    const response = await client(await authority.issue({ subject: '/CN=shop-2' })).get(ORDERS);
    expect(response).toMatchObject(NOBODY);
    expect(response.text).not.toContain('shop-2');
  });

  it('is asked for where a request has none', async () => {
    const { client } = await aTlsApi();
    expect(await client().get(ORDERS)).toMatchObject(NONE);
  });
});

describe('a certificate that nobody should trust', () => {
  it.each([
    ['one of another authority', async () => (await anAuthority()).issue({ subject: '/CN=shop' })],
    [
      'one that has expired',
      (authority) => authority.issue({ subject: '/CN=shop', to: new Date(Date.now() - DAY_MS / 2) }),
    ],
    [
      'one that is not valid yet',
      (authority) => authority.issue({ subject: '/CN=shop', from: new Date(Date.now() + DAY_MS / 2) }),
    ],
    [
      'one for servers',
      (authority) => authority.issue({ subject: '/CN=shop', extensions: 'extendedKeyUsage = serverAuth' }),
    ],
  ] satisfies readonly (readonly [string, (authority: Authority) => Promise<Identity>])[])(
    'lets nobody in, nor is it looked up: %s',
    async (_, issue) => {
      const { authority, certificates, client } = await aTlsApi();
      certificates.allow('CN=shop');
      const shop = client(await issue(authority));
      expect(await shop.get(ORDERS)).toMatchObject(NOT_VALID);
      expect((await client(await authority.issue({ subject: '/CN=shop' })).get(ORDERS)).status).toBe(200);
      expect(certificates.lookedUp).toEqual([['CN=shop']]);
    },
  );

  it('lets nobody in when its session is resumed', async () => {
    const { certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    const shop = client(await (await anAuthority()).issue({ subject: '/CN=shop' }));
    await shop.get(ORDERS);
    expect(await shop.get(ORDERS)).toMatchObject({ resumedSession: true, ...NOT_VALID });
  });

  it('is one that another put in its place, on a connection that began with a good one', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('CN=shop');
    // What changes is what TLS says of it; the clock of the API stands still.
    const to = new Date(Date.now() + 5000);
    const shop = client(await authority.issue({ subject: '/CN=shop', to }), { keepAlive: true, maxVersion: 'TLSv1.2' });
    const { status, socket } = await shop.get(ORDERS);
    expect(status).toBe(200);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(to.getTime()), 20_000);
    await promisify(socket.renegotiate.bind(socket))({});
    expect(await shop.get(ORDERS)).toMatchObject({ reusedSocket: true, ...NOT_VALID });
  });
});

describe('the time of a certificate', () => {
  it.each([
    ['a connection that is kept', true, 'TLSv1.3'],
    ['a session that is resumed', false, 'TLSv1.3'],
    ['a session that is resumed, before TLS 1.3', false, 'TLSv1.2'],
  ] as const)('is judged at each request of %s', async (_, keepAlive, maxVersion) => {
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
  it('is asked once in thirty seconds, so that a revocation takes effect', async () => {
    const { authority, certificates, client, clock } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP));
    expect((await shop.get(ORDERS)).status).toBe(200);
    certificates.revoke(SHOP);
    clock.advance(29_999);
    expect((await shop.get(ORDERS)).status).toBe(200);
    clock.advance(1);
    expect(await shop.get(ORDERS)).toMatchObject(NOBODY);
    expect(certificates.lookedUp).toHaveLength(2);
  });

  it('is asked for each certificate of its own', async () => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow('CN=reader', { scopes: ['orders:read'] });
    certificates.allow('CN=writer', { scopes: ['orders:write'] });
    expect((await client(await authority.issue({ subject: '/CN=reader' })).get(ORDERS)).status).toBe(200);
    expect((await client(await authority.issue({ subject: '/CN=writer' })).get(ORDERS)).status).toBe(403);
  });

  it('may be down, which is no fault of the certificate', async () => {
    const down = errAsync({ type: 'unavailable' as const, cause: 'down' });
    const { authority, client } = await aTlsApi({ find: () => down });
    expect((await client(await authority.issue()).get(ORDERS)).status).toBe(503);
  });
});

describe('a header with credentials', () => {
  it('goes before the certificate', async () => {
    const { authority, certificates, client, keys } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP));
    const placed = await shop.post(ORDERS, aNewOrder());
    const url = `${ORDERS}/${textAt(placed.body, 'id')}`;
    expect((await shop.get(url, { 'x-api-key': keys.issue({ owner: 'other' }) })).status).toBe(404);
    expect((await shop.get(url)).status).toBe(200);
  });

  it.each([
    [{ 'x-api-key': 'ord_0123456789_unknown' }, refused('The API key is unknown, expired or revoked.')],
    [{ 'x-api-key': '' }, NONE],
    [{ authorization: 'Bearer x' }, NONE],
    [{ authorization: '' }, NONE],
  ])('lets nobody in that is bad, whatever the certificate: %j', async (headers, response) => {
    const { authority, certificates, client } = await aTlsApi();
    certificates.allow(SHOP);
    const shop = client(await authority.issue(NAMED_SHOP), { keepAlive: true });
    expect((await shop.get(ORDERS)).status).toBe(200);
    expect(await shop.get(ORDERS, headers)).toMatchObject(response);
  });
});
