import sensible from '@fastify/sensible';
import { apiKeys, authenticateBy, newApiKey } from '@orders/http-adapter';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aThrowingStore } from '../fixtures/a-domain.ts';
import { aHost } from './a-host.ts';
import { textAt } from '../fixtures/json.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';

describe('a hook of the host that throws', () => {
  type Run = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  const ADD = {
    onRequest: (app: FastifyInstance, run: Run) => app.addHook('onRequest', run),
    preParsing: (app: FastifyInstance, run: Run) => app.addHook('preParsing', run),
    preHandler: (app: FastifyInstance, run: Run) => app.addHook('preHandler', run),
    onSend: (app: FastifyInstance, run: Run) => app.addHook('onSend', run),
  };
  const HOOKS = ['onRequest', 'preParsing', 'preHandler', 'onSend'] as const;

  /** Throws once, because a hook that also throws for the problem leaves no response to send. */
  const throwing =
    (hook: keyof typeof ADD, thrown: unknown, code?: number) =>
    (app: FastifyInstance): void => {
      let calls = 0;
      ADD[hook](app, async (request, reply) => {
        await Promise.resolve();
        if (!request.url.startsWith('/shop') || calls > 0) return;
        calls += 1;
        if (code !== undefined) void reply.code(code);
        // oxlint-disable-next-line typescript/only-throw-error -- a hook may throw anything
        throw thrown;
      });
    };

  it.each(HOOKS)('keeps a 403 of %s, with its headers and without its message', async (hook) => {
    const error = Object.assign(new Error('secret'), { statusCode: 403, headers: { 'x-reason': 'blocked' } });
    const { get, lines } = await aHost(throwing(hook, error));
    const response = await get('/shop/v1/orders');
    expect(response.statusCode).toBe(403);
    expect(response.headers).toMatchObject({ 'content-type': 'application/problem+json', 'x-reason': 'blocked' });
    expect(response.headers.vary).toContain('Authorization');
    expect(response.json()).toMatchObject({ code: 'http_403', status: 403, title: 'Forbidden' });
    expect(response.json()).not.toHaveProperty('detail');
    expect(response.payload).not.toContain('secret');
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('shows the message of an error with expose, made safe for JSON', async () => {
    const { get } = await aHost(async (app) => {
      await app.register(sensible);
      app.addHook('onRequest', (request, _reply, done) =>
        done(request.url.startsWith('/shop') ? app.httpErrors.paymentRequired('Pay \0 first \ud800.') : undefined),
      );
    });
    const response = await get('/shop/v1/orders');
    expect(response.json()).toMatchObject({ code: 'http_402', status: 402, detail: 'Pay \u{fffd} first \u{fffd}.' });
    const page = await get(new URL(textAt(response.json(), 'type')).pathname, { accept: 'application/json' });
    expect(page.statusCode).toBe(402);
  });

  it.each([
    ['a status in another member', { status: 418 }, 418],
    ['a status without a name in HTTP', { statusCode: 499 }, 499],
    ['a code of Fastify', { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }, 413],
    ['a status of the server', { statusCode: 503 }, 500],
    ['no error', { statusCode: 399 }, 500],
    ['text', { statusCode: '403' }, 500],
    ['no status', {}, 500],
  ])('has the status 500 or that of %s', async (_, members, status) => {
    const { get, lines } = await aHost(throwing('preHandler', Object.assign(new Error('secret'), members)));
    const response = await get('/shop/v1/orders');
    const code = status === 500 ? 'internal_error' : `http_${status}`;
    expect([response.statusCode, textAt(response.json(), 'code')]).toEqual([status, code]);
    expect(response.payload).not.toContain('secret');
    expect(lines.some((line) => line.includes('"level":50'))).toBe(status === 500);
  });

  it('keeps the status that it set on the reply', async () => {
    const { get } = await aHost(throwing('onRequest', new Error('secret'), 401));
    expect((await get('/shop/v1/orders')).json()).toMatchObject({ code: 'http_401', status: 401 });
    const { get: send } = await aHost(throwing('onSend', new Error('secret')));
    expect((await send('/shop/v1/nothing')).json()).toMatchObject({ code: 'internal_error' });
  });

  it('omits headers that cannot be sent', async () => {
    const ofTheBody = { 'content-type': 'text/html', 'Content-Length': '3', 'Content-Encoding': 'gzip' };
    const headers = { 'x-good': ['a', 'b'], 'x-bad': 'a\r\nb', 'b ad': 'a', 'x-n': 7, ...ofTheBody };
    const { get } = await aHost(throwing('onRequest', Object.assign(new Error(), { statusCode: 400, headers })));
    const response = await get('/shop/v1/orders');
    expect(response.headers).toMatchObject({ 'x-good': ['a', 'b'], 'x-n': '7' });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.headers['content-length']).toBe(`${response.rawPayload.length}`);
    expect(response.headers).not.toHaveProperty('x-bad');
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it.each([undefined, null, 'secret', { statusCode: 403 }])(
    'may throw a value that is not an error: %j',
    async (thrown) => {
      const { get } = await aHost(throwing('preHandler', thrown));
      const { statusCode, payload } = await get('/shop/v1/orders');
      expect(statusCode).toBeGreaterThanOrEqual(thrown === undefined ? 200 : 403);
      expect(payload).not.toContain('secret');
    },
  );
});

describe('the code of the API and its dependencies', () => {
  it('responds with 500 to an error of the store with any status', async () => {
    const gone = Object.assign(new Error('secret'), { statusCode: 410, expose: true });
    const { get, lines } = await aHost(() => undefined, aThrowingStore(gone));
    const response = await get(`/shop/v1/orders/${NO_ORDER}`);
    expect(response.json()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(lines.find((line) => line.includes('"level":50'))).toContain('"message":"secret"');
  });

  it('responds with 500 to an error of the key store, even if a hook set another status', async () => {
    const find = () => {
      throw new Error('secret');
    };
    const { get } = await aHost(
      (app) =>
        app.addHook('onRequest', (_request, reply, done) => {
          void reply.code(404);
          done();
        }),
      { authentication: authenticateBy(apiKeys({ find })) },
    );
    const response = await get('/shop/v1/orders', { 'x-api-key': newApiKey().key });
    expect(response.json()).toMatchObject({ code: 'internal_error', status: 500 });
  });

  it('responds with 500 to an error of the readiness check', async () => {
    const whyNotReady = () => Promise.reject(Object.assign(new Error('secret'), { statusCode: 404 }));
    const { get } = await aHost(() => undefined, { whyNotReady });
    expect((await get('/shop/readyz')).json()).toMatchObject({ code: 'internal_error', status: 500 });
  });
});
