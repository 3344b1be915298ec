import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { anApi } from '../fixtures/an-api.ts';
import { everyWay } from '../fixtures/every-way.ts';
import { at, behindReferences, membersOf } from '../fixtures/json.ts';

const URL = '/openapi.json';

/** Returns the response of an operation on the list of orders. */
function responseOf(document: unknown, method: string, status: number): unknown {
  return at(document, ...behindReferences(document, 'paths', '/orders', method, 'responses', `${status}`));
}

describe('the document of the API', () => {
  it('is served as JSON, without credentials', async () => {
    const { client } = await anApi({ authentication: everyWay() });
    const { status, headers, body } = await client().get(URL);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60, must-revalidate',
    });
    expect(body).toEqual(JSON.parse(JSON.stringify(currentDocument())));
  });

  it('is sent again only if the entity tag differs', async () => {
    const { client } = await anApi();
    const etag = (await client().get(URL)).headers['etag'] ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await client().get(URL, { 'if-none-match': tags });
      expect(response).toMatchObject({
        status: 304,
        text: '',
        headers: { etag, 'cache-control': 'public, max-age=60, must-revalidate' },
      });
    }
    expect((await client().get(URL, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('lists exactly the authentication that the server supports', async () => {
    const { client } = await anApi();
    const { body } = await client().get(URL);
    expect(membersOf(at(body, 'components', 'securitySchemes'))).toEqual(['ApiKey']);
    expect(at(body, 'paths', '/orders', 'get', 'security')).toEqual([{ ApiKey: ['orders:read'] }]);
    expect(membersOf(at(responseOf(body, 'get', 403), 'headers'))).not.toContain('WWW-Authenticate');
    expect(JSON.stringify(body)).not.toContain('components/examples/invalid_token');

    const every = await (await anApi({ authentication: everyWay() })).client().get(URL);
    expect(at(every.body, 'paths', '/orders', 'post', 'security')).toEqual([
      { Bearer: ['orders:write'] },
      { ApiKey: ['orders:write'] },
      { ClientCertificate: ['orders:write'] },
    ]);
    expect(membersOf(at(responseOf(every.body, 'get', 403), 'headers'))).toContain('WWW-Authenticate');
  });

  it('includes the prefix in its servers', async () => {
    const { client } = await anApi({ prefix: '/shop' });
    const { body } = await client().get(`/shop${URL}`);
    expect(at(body, 'servers', 0, 'url')).toBe('/shop/v1');
    expect(at(body, 'servers', 1, 'url')).toBe('/shop');
  });
});

describe('a deprecated operation in the document', () => {
  it('is marked as deprecated, and documents its headers and 410', async () => {
    const list_orders = { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com' };
    const { client } = await anApi({ deprecations: { list_orders } });
    const { body } = await client().get(URL);
    expect(at(body, 'paths', '/orders', 'get', 'deprecated')).toBe(true);
    for (const status of [200, 406, 410]) {
      expect(responseOf(body, 'get', status)).toMatchObject({ headers: { Deprecation: {}, Sunset: {}, Link: {} } });
    }
    const post = at(body, 'paths', '/orders', 'post');
    expect(post).not.toHaveProperty('deprecated');
    expect(at(post, 'responses')).not.toHaveProperty('410');
  });
});
