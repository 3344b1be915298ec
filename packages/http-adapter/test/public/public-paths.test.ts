import { describe, expect, it } from 'vitest';
import { PROTECTED_RESOURCE_PATH, SCOPES } from '@orders/http-adapter';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { AN_ABSENT_ISSUER, everyWay } from '../fixtures/every-way.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const JSON_TYPE = 'application/json';
const CACHED = 'public, max-age=60, must-revalidate, no-transform';

/** Paths that need no credentials, with their Accept, Content-Type and Cache-Control. */
const PATHS: readonly (readonly [path: string, accept: string, type: string, cacheControl: string])[] = [
  ['/', BROWSER, 'text/html; charset=utf-8', CACHED],
  ['/docs', BROWSER, 'text/html; charset=utf-8', 'no-cache, no-transform'],
  ['/problems', BROWSER, 'text/html; charset=utf-8', CACHED],
  ['/problems', JSON_TYPE, 'application/json; charset=utf-8', CACHED],
  ['/problems/not-found', BROWSER, 'text/html; charset=utf-8', CACHED],
  ['/problems/not-found', JSON_TYPE, 'application/json; charset=utf-8', CACHED],
  ['/openapi.json', JSON_TYPE, JSON_TYPE, CACHED],
  [PROTECTED_RESOURCE_PATH, JSON_TYPE, JSON_TYPE, 'no-cache'],
  ['/livez', JSON_TYPE, JSON_TYPE, 'no-store'],
  ['/readyz', JSON_TYPE, JSON_TYPE, 'no-store'],
];

describe('the public path', () => {
  const prefix = '/shop';

  it.each(PATHS)('%s is public as %s, with its headers', async (path, accept, type, cacheControl) => {
    const { app } = await anApi({ prefix, authentication: everyWay() });
    const url = prefix + path;
    const first = await app.inject({ url, headers: { accept } });
    expect(first).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': type, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' },
    });
    const { etag } = first.headers;
    const revalidated = await app.inject({ url, headers: { accept, 'if-none-match': etag ?? '"x"' } });
    const same = { statusCode: 304, payload: '', headers: { etag, 'cache-control': cacheControl } };
    expect(revalidated).toMatchObject(etag === undefined ? { statusCode: 200 } : same);
    expect((await app.inject({ url, headers: { accept, 'if-none-match': '"other"' } })).statusCode).toBe(200);
    expect((await app.inject({ url: `${prefix}/v1${path}`, headers: { accept } })).statusCode).toBe(404);
    expect(etag === undefined).toBe(['/livez', '/readyz', PROTECTED_RESOURCE_PATH].includes(path));
  });

  it('has no other methods', async () => {
    const { app } = await anApi({ prefix, authentication: everyWay() });
    const allow = 'GET, HEAD, OPTIONS';
    for (const path of new Set(PATHS.map(([each]) => each).filter((each) => each !== '/'))) {
      const refused = await app.inject({ method: 'POST', url: prefix + path });
      expect({ path, ...refused }).toMatchObject({ path, statusCode: 405, headers: { allow } });
      const options = await app.inject({ method: 'OPTIONS', url: prefix + path });
      expect(options).toMatchObject({ statusCode: 204, headers: { allow } });
    }
  });

  it.each(PATHS.filter(([, , type]) => type.startsWith('text/html')))(
    '%s runs no script of its own text, and all of its links work',
    async (path, accept) => {
      const { app } = await anApi({ prefix });
      const { headers, payload } = await app.inject({ url: prefix + path, headers: { accept } });
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*base-uri 'none'; frame-ancestors 'none'; form-action 'none'$/,
      );
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(payload).not.toMatch(/<script>|<style|style=|\son[a-z]+=/);
      const links = [...payload.matchAll(/ (?:href|src)="((?!data:)[^"]+)"/g)].map(([, link = '']) => link);
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) {
        const { origin, pathname } = new URL(link, `http://orders.test${prefix}${path}`);
        expect([link, origin, (await app.inject(pathname)).statusCode]).toEqual([link, 'http://orders.test', 200]);
      }
    },
  );
});

describe('the metadata of the API as a protected resource (RFC 9728)', () => {
  it('lists the token issuer, the scopes and the bearer methods', async () => {
    const { client } = await anApi({ authentication: everyWay() });
    expect(PROTECTED_RESOURCE_PATH).toBe('/.well-known/oauth-protected-resource');
    expect((await client().get(PROTECTED_RESOURCE_PATH)).body).toEqual({
      resource: BASE_URL,
      resource_name: 'Orders',
      resource_documentation: `${BASE_URL}/docs`,
      authorization_servers: [AN_ABSENT_ISSUER.issuer],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
    });
  });

  it('is 404 when the API accepts no tokens', async () => {
    const { client } = await anApi();
    expect(await client().get(PROTECTED_RESOURCE_PATH)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('/livez and /readyz', () => {
  it('distinguish a server that is not ready from one that does not run', async () => {
    let why: string | null = null;
    const { client } = await anApi({ whyNotReady: () => Promise.resolve(why) });
    expect((await client().get('/readyz')).body).toEqual({ status: 'ready' });
    why = 'The server is stopping.';
    expect((await client().get('/livez')).body).toEqual({ status: 'alive' });
    const body = { code: 'unavailable', detail: why };
    expect(await client().get('/readyz')).toMatchObject({ status: 503, body, headers: { 'retry-after': '1' } });
  });
});
