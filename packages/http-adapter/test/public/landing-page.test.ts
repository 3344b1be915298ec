import { fastify } from 'fastify';
import { apiKeys, authenticateBy, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../fixtures/in-memory-api-keys.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the landing page', () => {
  it('has the address of the orders, and links to what a reader needs', async () => {
    const { app } = await anApi();
    const { headers, payload } = await app.inject({ url: '/', headers: { accept: BROWSER } });
    expect(headers.vary?.toString().split(', ')).toContain('Accept');
    expect(payload).toContain(`${BASE_URL}/v1/orders</code>`);
    const links = [...payload.matchAll(/ href="((?!data:)[^"]+)"/g)].map(([, link]) => link);
    expect(links.slice(1)).toEqual(['/docs', '/openapi.json', '/problems', '/readyz', '/livez']);
  });

  it('is a 404 problem to a client that does not prefer HTML', async () => {
    const { client } = await anApi();
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/problem+json',
      'text/html;q=0.5, */*',
      'image/png',
    ]) {
      const response = await client().get('/', accept === undefined ? {} : { accept });
      expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('says to a browser that a path outside of the API has no page', async () => {
    const { app } = await anApi();
    // No entity tag makes a 304 of what is not there.
    const missing = (url: string) => app.inject({ url, headers: { accept: BROWSER, 'if-none-match': '*' } });
    const { statusCode, headers, payload } = await missing('/admin');
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(payload).toContain('<a href="/docs">');
    expect((await missing('/v1/carts')).json()).toMatchObject({ code: 'not_found' });
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
