import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** Starts two servers behind the balancer, with the key of an owner without orders. */
async function aService(env: Readonly<Record<string, string>> = {}) {
  const { apiKey, serve } = await aDatabase();
  const servers = [await serve(env), await serve(env)] as const;
  const balancer = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return {
    ...balancer,
    apiKey,
    send: (path: string, init: RequestInit = {}) => fetch(balancer.url + path, { headers, ...init }),
  };
}

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));

const CLOSING: Readonly<Record<string, string>> = {
  'HTTP/1.0 with chunks': 'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'HTTP/1.0 with chunks that never start': 'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n',
  'a length and chunks':
    'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Connection: close': 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'two Host headers': 'GET /nothing HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
};

describe('a write behind the balancer, pipelined after a response that closes the connection', () => {
  for (const [name, request] of Object.entries(CLOSING)) {
    it(`is not executed: ${name}`, async () => {
      const { raw, send, apiKey } = await aService();
      const write =
        `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(AN_ORDER)}\r\n\r\n${AN_ORDER}`;
      const statuses = statusesOf(await raw(request + write));
      expect(statuses).toHaveLength(1);
      expect(statuses[0]).toBeGreaterThanOrEqual(400);
      expect(await (await send('/v1/orders')).json()).toMatchObject({ data: [] });
    });
  }
});

describe('a cross-site form behind the balancer', () => {
  it('cannot cancel an order: an empty form is rejected with 415, whatever its Origin', async () => {
    const { raw, send, apiKey } = await aService();
    const placed: unknown = await (await send('/v1/orders', { method: 'POST', body: AN_ORDER })).json();
    const id = typeof placed === 'object' && placed !== null && 'id' in placed ? String(placed.id) : '';
    const head =
      `POST /v1/orders/${id}/cancel HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nX-API-Key: ${apiKey}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n';
    expect(statusesOf(await raw(`${head}Content-Length: 0\r\n\r\n`))).toEqual([415]);
    expect(statusesOf(await raw(`${head}\r\n`))).toEqual([415]);
    expect(await (await send(`/v1/orders/${id}`)).json()).toMatchObject({ status: 'pending', version: 1 });
  });
});

describe('key guesses behind the balancer', () => {
  it('count against the address of the connection, and do not affect valid credentials behind it', async () => {
    const { raw, send } = await aService({ RATE_LIMIT_ANONYMOUS: '2' });
    const guesses = Array.from({ length: 20 }, (_, index) => {
      const close = index === 19 ? 'Connection: close\r\n' : '';
      return `GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${index}\r\nX-API-Key: guess-${index}\r\n${close}\r\n`;
    });
    const statuses = statusesOf(await raw(guesses.join('')));
    // Each of the two servers has a counter of its own.
    expect(statuses.filter((status) => status === 401)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(16);
    expect((await send('/v1/orders')).status).toBe(200);
  });
});
