import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import sensible from '@fastify/sensible';
import swagger from '@fastify/swagger';
import { principalOf } from '@orders/http-adapter';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aHost, securitySchemes } from './a-host.ts';
import { at, membersOf } from '../fixtures/json.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';

describe('a host application with many plugins', () => {
  const everything = async (app: FastifyInstance) => {
    await app.register(cookie);
    await app.register(cors, { origin: ['https://bakery.example'], credentials: true });
    await app.register(helmet);
    await app.register(rateLimit, { max: 3 });
    await app.register(sensible);
    await app.register(swagger, { openapi: { info: { title: 'Bakery', version: '1' } } });
  };

  it('keeps its request decorations, apart from those of the API', async () => {
    const { app, get } = await aHost(everything);
    expect((await get('/me')).json()).toEqual({ me: { name: 'ada' }, type: 7, reads: 'often' });
    const headers = { 'x-user': 'ada' };
    const placed = await app.inject({ method: 'POST', url: '/shop/v1/orders', headers, payload: aNewOrder() });
    expect(placed.statusCode).toBe(201);
    expect((await get(String(placed.headers.location))).json()).toEqual(placed.json());
  });

  it('keeps its response headers together with those of the API', async () => {
    const { get } = await aHost(everything);
    const origin = 'https://bakery.example';
    const { headers } = await get('/shop/v1/orders', { 'x-user': 'ada', origin });
    expect(headers.vary).toBe('Origin, Authorization, X-API-Key, Accept, API-Version');
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'x-frame-options': 'SAMEORIGIN',
      'x-ratelimit-limit': '3',
      'api-version': '1',
    });
    expect(headers['content-security-policy']).toContain("default-src 'self'");
  });

  it('keeps its Vary of all names', async () => {
    const { get } = await aHost((app) =>
      app.addHook('onRequest', (_request, reply, done) => {
        void reply.header('vary', '*');
        done();
      }),
    );
    expect((await get('/shop/v1/orders', { 'x-user': 'ada' })).headers.vary).toBe('*');
  });

  it('keeps its WWW-Authenticate when the authentication throws 401', async () => {
    const { get } = await aHost(
      (app) =>
        app.addHook('onRequest', (_request, reply, done) => {
          void reply.header('www-authenticate', 'Session realm="bakery"');
          done();
        }),
      {
        authentication: {
          authenticate: () => Promise.reject(Object.assign(new Error('secret'), { statusCode: 401 })),
          securitySchemes,
        },
      },
    );
    const { headers, statusCode } = await get('/shop/v1/orders');
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Session realm="bakery"']);
  });

  it.each<[string, (host: FastifyInstance) => unknown]>([
    ['a serializer compiler', (host) => host.setSerializerCompiler(() => () => '"of the host"')],
    ['a serializer of all replies', (host) => host.setReplySerializer(() => '"of the host"')],
    ['a validator compiler', (host) => host.setValidatorCompiler(() => () => ({ error: new Error('of the host') }))],
    ['a formatter of schema errors', (host) => host.setSchemaErrorFormatter(() => new Error('of the host'))],
    ['a handler of errors', (host) => host.setErrorHandler((_error, _request, reply) => reply.send('of the host'))],
    ['a handler of unknown paths', (host) => host.setNotFoundHandler((_request, reply) => reply.send('of the host'))],
  ])('keeps %s to itself', async (_, set) => {
    const { app, get } = await aHost((host) => void set(host));
    const headers = { 'x-user': 'ada' };
    const placed = await app.inject({ method: 'POST', url: '/shop/v1/orders', headers, payload: aNewOrder() });
    expect(placed.json()).toMatchObject({ status: 'pending', version: 1 });
    expect((await get('/shop/v1/orders')).json()).toMatchObject({ data: [placed.json()] });
    expect((await get('/shop/v1/orders?limit=0')).json()).toMatchObject({ code: 'invalid_parameter' });
    expect((await get('/shop/v1/nothing')).json()).toMatchObject({ code: 'not_found' });
    expect((await get('/shop/livez')).json()).toEqual({ status: 'alive' });
  });

  it('does not include the API in its own OpenAPI document', async () => {
    const { app } = await aHost(everything);
    const own: unknown = JSON.parse(JSON.stringify(app.swagger()));
    expect(membersOf(at(own, 'paths'))).toEqual(['/me']);
  });

  it('rejects by its own rate limit with a problem and Retry-After', async () => {
    const { get } = await aHost(everything);
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await get('/shop/v1/orders')).statusCode);
    expect(statuses).toEqual([200, 200, 200]);
    const limited = await get('/shop/v1/orders');
    expect(limited.statusCode).toBe(429);
    expect(limited.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': '60',
      'x-ratelimit-remaining': '0',
      'api-version': '1',
      'x-content-type-options': 'nosniff',
    });
    const id = limited.headers['x-request-id'];
    expect(limited.json()).toEqual({
      type: 'https://bakery.example/shop/problems/rate-limited',
      title: 'Too many requests',
      status: 429,
      instance: `urn:orders:request:${String(id)}`,
      code: 'rate_limited',
      request_id: id,
    });
  });
});

describe('the principal of a request', () => {
  it('is available to hooks of the host only on routes of the API', async () => {
    const seen: unknown[] = [];
    const { get } = await aHost((app) => {
      app.addHook('onResponse', (request, _reply, done) => {
        seen.push(principalOf(request)?.owner);
        done();
      });
    });
    await get('/shop/v1/orders');
    await get('/me');
    expect(seen).toEqual(['ada', undefined]);
  });
});
