import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type Api, anApi } from '../../fixtures/an-api.ts';
import { everyWay } from '../../fixtures/every-way.ts';

const LIMITS = { rateLimits: { read: 0, write: 0, anonymous: 0, public: 2 } } as const;

/** Returns the status and rate-limit headers of the responses. */
async function limitsOf({ app }: Api, requests: readonly (InjectOptions | string)[]): Promise<readonly unknown[]> {
  const limits: unknown[] = [];
  for (const request of requests) {
    const { statusCode, headers } = await app.inject(request);
    limits.push([statusCode, headers['ratelimit'], headers['retry-after']]);
  }
  return limits;
}

const thrice = <T>(value: T): readonly T[] => [value, value, value];

describe('requests that need no credentials', () => {
  it.each([
    ['the document', 200, { url: '/openapi.json' }],
    ['the reference', 200, { url: '/docs' }],
    ['a problem', 200, { url: '/problems/not-found' }],
    ['the metadata of the protected resource', 200, { url: '/.well-known/oauth-protected-resource' }],
    ['an unknown path', 404, { url: '/v1/nothing' }],
    ['a method that a path does not have', 405, { method: 'PUT', url: '/v1/orders' }],
  ] as const)('are limited by address: %s', async (_, status, request) => {
    const api = await anApi({ ...LIMITS, authentication: everyWay() });
    expect(await limitsOf(api, thrice(request))).toEqual([
      [status, '"public";r=1;t=60', undefined],
      [status, '"public";r=0;t=60', undefined],
      [429, '"public";r=0;t=60', '60'],
    ]);
  });

  it('are limited in the assets of the reference', async () => {
    const api = await anApi(LIMITS);
    const { payload } = await api.app.inject('/docs');
    const [, style = ''] = /href="\.([^"]+\.css)"/.exec(payload) ?? [];
    expect(await limitsOf(api, [style, style])).toEqual([
      [200, '"public";r=0;t=60', undefined],
      [429, '"public";r=0;t=60', '60'],
    ]);
  });

  it('are limited separately for OPTIONS, with the same limit', async () => {
    const api = await anApi(LIMITS);
    const request = { method: 'OPTIONS', url: '/v1/orders' } as const;
    expect(await limitsOf(api, ['/docs', '/docs', ...thrice(request), '/docs'])).toEqual([
      [200, '"public";r=1;t=60', undefined],
      [200, '"public";r=0;t=60', undefined],
      [204, '"options";r=1;t=60', undefined],
      [204, '"options";r=0;t=60', undefined],
      [429, '"options";r=0;t=60', '60'],
      [429, '"public";r=0;t=60', '60'],
    ]);
  });

  it('are limited with valid credentials, too, and do not count for their owner', async () => {
    const { acme } = await anApi({ rateLimits: { read: 1, public: 1 } });
    expect((await acme.get('/v1/nothing')).status).toBe(404);
    expect((await acme.get('/v1/nothing')).status).toBe(429);
    expect((await acme.get('/v1/orders')).headers['ratelimit']).toBe('"read";r=0;t=60');
  });

  it('are not limited if the limit is 0', async () => {
    const api = await anApi({ rateLimits: { public: 0 } });
    expect(await limitsOf(api, ['/docs', '/v1/nothing', { method: 'OPTIONS', url: '/docs' }])).toEqual([
      [200, undefined, undefined],
      [404, undefined, undefined],
      [204, undefined, undefined],
    ]);
  });

  it.each(['/livez', '/readyz'])('are never limited at %s', async (url) => {
    const api = await anApi({ rateLimits: { public: 1 } });
    expect(await limitsOf(api, thrice(url))).toEqual(thrice([200, undefined, undefined]));
  });

  it('are counted by the shared store before they are served', async () => {
    const keys: string[] = [];
    const count = (key: string) => {
      keys.push(key);
      return Promise.resolve({ count: keys.length, resetMs: 30_000 });
    };
    const api = await anApi({ rateLimits: { public: 3, store: { count } } });
    expect(await limitsOf(api, ['/docs', '/v1/nothing', { method: 'OPTIONS', url: '/docs' }])).toEqual([
      [200, '"public";r=2;t=30', undefined],
      [404, '"public";r=1;t=30', undefined],
      [204, '"options";r=0;t=30', undefined],
    ]);
    expect(keys).toEqual(['public:127.0.0.1', 'public:127.0.0.1', 'options:127.0.0.1']);
  });
});
