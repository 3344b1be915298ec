import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';

describe('/livez and /readyz', () => {
  it('are available without credentials, API version and rate limit', async () => {
    const { client } = await anApi({ rateLimits: { anonymous: 1 } });
    for (let time = 0; time < 3; time += 1) {
      const livez = await client().get('/livez');
      expect(livez).toMatchObject({ status: 200, body: { status: 'alive' }, headers: { 'cache-control': 'no-store' } });
      expect(await client().get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    }
    expect((await client().get('/v1/livez')).status).toBe(404);
    expect((await client().head('/readyz')).status).toBe(200);
  });

  it('distinguish a server that is not ready from one that does not run', async () => {
    const { client } = await anApi({ whyNotReady: () => Promise.resolve('The server is stopping.') });
    expect((await client().get('/livez')).status).toBe(200);
    const response = await client().get('/readyz');
    expect(response).toMatchObject({ status: 503, body: { code: 'unavailable', detail: 'The server is stopping.' } });
    expect(response.headers['retry-after']).toBe('1');
  });
});
