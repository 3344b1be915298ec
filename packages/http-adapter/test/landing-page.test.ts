import { fastify } from 'fastify';
import { apiKeys, authenticateBy, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from './a-domain.ts';
import { anApi, BASE_URL } from './an-api.ts';
import { inMemoryApiKeys } from './in-memory-api-keys.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const ORIGIN = 'http://orders.test';

describe('the landing page', () => {
  it.each(['', '/shop'])('is sent to a browser below the prefix "%s", with working links', async (prefix) => {
    const { app } = await anApi({ prefix });
    const url = `${prefix}/`;
    const { statusCode, headers, payload } = await app.inject({ url, headers: { accept: BROWSER } });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=60, must-revalidate',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.vary?.toString().split(', ')).toContain('Accept');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(payload).not.toMatch(/<script|<style|style=|\son[a-z]+=/);
    expect(payload).toContain(`${BASE_URL}/v1/orders</code>`);
    const links = [...payload.matchAll(/ href="((?!data:)[^"]+)"/g)].map(
      ([, link = '']) => new URL(link, `${ORIGIN}${url}`).pathname,
    );
    expect(links.slice(1)).toEqual(
      ['docs', 'openapi.json', 'problems', 'readyz', 'livez'].map((path) => `${prefix}/${path}`),
    );
    for (const link of links) expect([link, (await app.inject(link)).statusCode]).toEqual([link, 200]);
  });

  it('has the same headers for HEAD, and is revalidated by its entity tag', async () => {
    const { app } = await anApi();
    const headers = { accept: BROWSER };
    const got = await app.inject({ url: '/', headers });
    const head = await app.inject({ method: 'HEAD', url: '/', headers });
    expect([head.statusCode, head.payload]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
    const again = await app.inject({ url: '/?utm=1', headers: { ...headers, 'if-none-match': got.headers['etag'] } });
    expect([again.statusCode, again.payload]).toEqual([304, '']);
  });

  it.each([undefined, '*/*', 'application/json', 'application/problem+json', 'text/html;q=0.5, */*', 'image/png'])(
    'is a 404 problem to Accept: %s',
    async (accept) => {
      const { client } = await anApi();
      const response = await client().get('/', accept === undefined ? {} : { accept });
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('has no method %s', async (method) => {
    const { client } = await anApi();
    const headers = { accept: BROWSER };
    expect(await client().send({ method, url: '/', headers })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it.each(['/v1', '/v1/', '/index.html', '//'])('is not at %s', async (url) => {
    const { client } = await anApi();
    expect((await client().get(url, { accept: BROWSER })).status).toBe(404);
  });

  it('leaves / to a host application with its own route', async () => {
    const app = fastify(ordersServerOptions(BASE_URL));
    onTestFinished(() => app.close());
    app.get('/', () => 'the page of the host');
    const authentication = authenticateBy(apiKeys(inMemoryApiKeys()));
    await app.register(ordersHttp, { domain: aDomain(), authentication, publicBaseUrl: BASE_URL });
    const { payload } = await app.inject({ url: '/', headers: { accept: BROWSER } });
    expect(payload).toBe('the page of the host');
  });
});
