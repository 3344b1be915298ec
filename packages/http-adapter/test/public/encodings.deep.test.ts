import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { type Api, anApi } from '../fixtures/an-api.ts';

const DECODE = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Buffer) => bytes,
} as const;
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/** Returns the paths of the document, and of a file of the reference. */
async function filesOf({ app }: Api): Promise<readonly string[]> {
  const { payload } = await app.inject('/docs');
  return ['/openapi.json', /src="\.(\/[^"]+docs-start.js)"/.exec(payload)?.[1] ?? ''];
}

const get = ({ app }: Api, url: string, headers: Readonly<Record<string, string>> = {}) => app.inject({ url, headers });

/** Waits until a file is available in each encoding. */
async function compressed(api: Api, url: string): Promise<void> {
  for (const encoding of ['br', 'gzip'] as const) {
    await vi.waitFor(async () => {
      expect((await get(api, url, { 'accept-encoding': encoding })).headers['content-encoding']).toBe(encoding);
    });
  }
}

describe('the files that a page loads', () => {
  it('are compressed with brotli or gzip, as the client accepts', async () => {
    const api = await anApi({ corsOrigins: ['https://shop.example.com'] });
    for (const url of await filesOf(api)) {
      const plain = await get(api, url);
      expect(plain.headers).not.toHaveProperty('content-encoding');
      await compressed(api, url);
      for (const encoding of ENCODINGS) {
        const { headers, rawPayload } = await get(api, url, { 'accept-encoding': encoding });
        expect(DECODE[encoding](rawPayload).equals(plain.rawPayload)).toBe(true);
        expect(headers).toMatchObject({
          vary: 'Authorization, X-API-Key, Accept, API-Version, Origin, Accept-Encoding',
          'content-length': `${rawPayload.length}`,
          'content-type': plain.headers['content-type'],
          'cache-control': plain.headers['cache-control'],
        });
        expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
        const head = await api.app.inject({ method: 'HEAD', url, headers: { 'accept-encoding': encoding } });
        expect(head).toMatchObject({ statusCode: 200, payload: '' });
        expect(head.headers['content-length']).toBe(headers['content-length']);
      }
    }
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity, br;q=0.1', undefined],
    ['identity;q=0', undefined],
    ['', undefined],
    ['gzip;q=what, ,;;', undefined],
  ])('are sent to a client that accepts "%s" as %s', async (accepted, encoding) => {
    const api = await anApi();
    await compressed(api, '/openapi.json');
    const { headers, statusCode } = await get(api, '/openapi.json', { 'accept-encoding': accepted });
    expect([statusCode, headers['content-encoding']]).toEqual([200, encoding]);
  });
});

describe('the entity tag of the document', () => {
  it('differs by encoding, and matches only its own', async () => {
    const api = await anApi();
    await compressed(api, '/openapi.json');
    const tags = new Map<string, string>();
    for (const encoding of ENCODINGS) {
      const { headers } = await get(api, '/openapi.json', { 'accept-encoding': encoding });
      tags.set(encoding, headers.etag ?? '');
    }
    expect(new Set(tags.values()).size).toBe(3);
    for (const encoding of ENCODINGS) {
      for (const [other, tag] of tags) {
        const sent = { 'accept-encoding': encoding, 'if-none-match': tag };
        const { headers, rawPayload, statusCode } = await get(api, '/openapi.json', sent);
        expect(statusCode).toBe(other === encoding ? 304 : 200);
        if (statusCode !== 304) continue;
        expect(rawPayload).toHaveLength(0);
        expect(headers.etag).toBe(tag);
        expect(headers.vary).toContain('Accept-Encoding');
        expect(headers).not.toHaveProperty('content-encoding');
      }
    }
  });
});
