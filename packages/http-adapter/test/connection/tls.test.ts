import { ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { err } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { BASE_URL } from '../fixtures/an-api.ts';
import { connectByTls, TLS_SERVER } from '../fixtures/pre-shared-key.ts';
import { exchange, head } from '../fixtures/raw-http.ts';

/** Returns all bytes with which a TLS server responds to `bytes`, until it closes the connection. */
async function responseOverTls(bytes: string): Promise<string> {
  const app = fastify({ ...ordersServerOptions(() => BASE_URL), https: TLS_SERVER });
  onTestFinished(() => app.close());
  const authenticate = () => Promise.resolve(err({ code: 'unauthenticated', detail: 'Who is it?' } as const));
  const authentication = { authenticate, securitySchemes: {} };
  await app.register(ordersHttp, { domain: aDomain(), authentication, publicBaseUrl: BASE_URL });
  return await exchange({ app }, bytes, connectByTls);
}

describe('a server with TLS', () => {
  it.each([
    ['no Host', 400, 'malformed_request', 'GET /v1/orders HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['no HTTP', 400, 'malformed_request', 'nonsense\r\n\r\n'],
    ['a bad URL', 400, 'malformed_request', head('GET /%zz HTTP/1.1')],
    ['a tunnel', 405, 'method_not_allowed', head('CONNECT orders.test:443 HTTP/1.1')],
  ])('responds with problems like a server without TLS: %s', async (_, status, code, bytes) => {
    const received = await responseOverTls(bytes);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i);
    expect(received).toContain(`"status":${status}`);
    expect(received).toContain(`"code":"${code}"`);
  });
});
