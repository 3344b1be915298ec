import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { newApiKey } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { startServer } from './running-server.ts';

/** Sends requests on one connection without waiting, and returns their statuses in order. */
async function pipeline(url: string, heads: readonly string[]): Promise<readonly number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const requests = heads.map((head, index) => {
    const last = index === heads.length - 1 ? 'Connection: close\r\n' : '';
    return `${head}\r\nHost: orders.test\r\n${last}\r\n`;
  });
  socket.write(requests.join(''));
  return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const guess = () => `GET /v1/orders HTTP/1.1\r\nX-API-Key: ${newApiKey().key}`;

describe('a client that guesses keys', () => {
  it('is rejected, without an effect on valid keys from its address', async () => {
    const server = await startServer({ RATE_LIMIT_ANONYMOUS: '10' });
    // Sorted, because concurrent lookups may end in any order.
    const first = await pipeline(server.url, Array.from({ length: 11 }, guess));
    expect(first.toSorted((one, other) => one - other)).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const guesses = Array.from({ length: 6 }, () => pipeline(server.url, Array.from({ length: 10 }, guess)));
    // The lookup of this key may exceed its time limit on a busy machine.
    await expect.poll(async () => (await server.request('/v1/orders')).status).toBe(200);
    expect(new Set((await Promise.all(guesses)).flat())).toEqual(new Set([429]));
  });
});

describe('a client that sends requests without credentials', () => {
  it('is limited, without an effect on owners and health checks', async () => {
    const server = await startServer({ RATE_LIMIT_PUBLIC: '20' });
    const heads = Array.from({ length: 50 }, (_, n) => `GET ${n % 2 === 0 ? '/nothing' : '/problems'} HTTP/1.1`);
    const statuses = await pipeline(server.url, heads);
    expect(statuses.filter((status) => status !== 429)).toHaveLength(20);
    expect((await server.request('/v1/orders')).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await pipeline(server.url, ['OPTIONS /v1/orders HTTP/1.1'])).toEqual([204]);
  });
});
