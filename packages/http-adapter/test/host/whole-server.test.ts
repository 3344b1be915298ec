import { type IncomingMessage, request } from 'node:http';
import { ordersHttp, type OrdersHttpOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { BASE_URL } from '../fixtures/an-api.ts';

/** Creates an application with its own route, and the API at `prefix`. */
async function anApp(prefix: string, ownNotFound: boolean) {
  const options: OrdersHttpOptions = {
    domain: aDomain(),
    authentication: {
      authenticate: () => Promise.reject(new Error('no credentials are expected')),
      securitySchemes: {},
    },
    publicBaseUrl: BASE_URL,
  };
  const app = fastify();
  onTestFinished(() => app.close());
  app.get('/own', () => 'ours');
  if (ownNotFound) app.setNotFoundHandler((_request, reply) => reply.code(404).send('not ours'));
  await app.register(ordersHttp, { prefix, ...options });
  return app;
}

/** Returns the status with which the application's own route responds to a request without a Host. */
async function statusWithoutHost(prefix: string): Promise<number | undefined> {
  const app = await anApp(prefix, false);
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/own`;
  return await new Promise((resolve, reject) => {
    const onResponse = ({ statusCode }: IncomingMessage) => resolve(statusCode);
    request(url, { setHost: false, agent: false }, onResponse).on('error', reject).end();
  });
}

describe('the API without a prefix', () => {
  it('handles all paths of the server', async () => {
    const app = await anApp('', false);
    expect((await app.inject('/nothing')).json()).toMatchObject({ code: 'not_found' });
  });

  it('fails at registration if the application has a not-found handler', async () => {
    await expect(anApp('', true)).rejects.toThrow("handler already set for Fastify instance with prefix: '/'");
  });
});

describe('the API with a prefix', () => {
  it('leaves unknown paths outside of it to the application', async () => {
    const app = await anApp('/shop', true);
    expect((await app.inject('/nothing')).payload).toBe('not ours');
    expect((await app.inject('/shop/nothing')).json()).toMatchObject({ code: 'not_found' });
  });

  it('leaves the rejections of Node.js to the application', async () => {
    expect(await statusWithoutHost('/shop')).toBe(400);
  });
});
