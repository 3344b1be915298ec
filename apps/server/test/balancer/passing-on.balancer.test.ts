import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { addressOf, aDatabase, aStandIn } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** Starts a server that returns the requests it receives, and its balancer. */
async function anEcho() {
  const server = await aStandIn(({ headers }, response) => {
    response.setHeader('x-request-id', headers['x-request-id'] ?? '').end(JSON.stringify(headers));
  });
  return await startBalancer([server, server]);
}

describe('the balancer', () => {
  it('distributes requests over both servers, and orders of one are listed by the other', async () => {
    const { apiKey: key, serve } = await aDatabase();
    const servers = [await serve({ RATE_LIMIT_READ: '1000' }), await serve({ RATE_LIMIT_READ: '1000' })] as const;
    const { url } = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const placed = await fetch(`${url}/v1/orders`, { method: 'POST', body: AN_ORDER, headers });
    expect(placed.status).toBe(201);
    const left: (string | null)[] = [];
    for (const _ of servers) {
      const response = await fetch(`${url}/v1/orders`, { headers });
      expect(await response.json()).toMatchObject({ data: [await placed.clone().json()] });
      left.push(response.headers.get('ratelimit'));
    }
    // Each server has a counter of its own: both have received a request.
    expect(left[0]).toBe(left[1]);
  });

  it('forwards the id of a request, or a new one in place of an invalid id', async () => {
    const { url } = await anEcho();
    const idFor = async (headers: Readonly<Record<string, string>>) => {
      const response = await fetch(url, { headers });
      const seen: unknown = await response.json();
      expect(seen).toHaveProperty('x-request-id', response.headers.get('x-request-id'));
      return response.headers.get('x-request-id');
    };
    expect(await idFor({ 'x-request-id': 'Mine.1_2-3' })).toBe('Mine.1_2-3');
    for (const id of ['not an id', 'a,b', 'a'.repeat(129), '"quoted"']) {
      expect(await idFor({ 'x-request-id': id })).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(await idFor({})).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sets the forwarded address of a request', async () => {
    const { url } = await anEcho();
    const forged = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-host': 'evil.example', forwarded: 'for=192.0.2.1' };
    const seen: unknown = await (await fetch(url, { headers: forged })).json();
    expect(seen).toHaveProperty('x-forwarded-for', '127.0.0.1');
    expect(seen).not.toHaveProperty('x-forwarded-host');
    expect(seen).not.toHaveProperty('forwarded');
  });

  it('overwrites a forged address, by which servers count anonymous clients', async () => {
    const { serve } = await aDatabase();
    const address = addressOf(await serve({ RATE_LIMIT_ANONYMOUS: '1' }));
    const { url } = await startBalancer([address, address]);
    const statuses: number[] = [];
    for (const forged of ['192.0.2.1', '192.0.2.2']) {
      const { status } = await fetch(`${url}/v1/orders`, { headers: { 'x-forwarded-for': forged } });
      statuses.push(status);
    }
    expect(statuses).toEqual([401, 429]);
  });

  it('logs each request on a line of JSON, without its query', async () => {
    const { url, output } = await anEcho();
    await (await fetch(`${url}/v1/orders?customer_id=somebody`, { headers: { 'x-request-id': 'logged' } })).text();
    await expect.poll(output).toContain('logged');
    const line: unknown = JSON.parse(
      output()
        .split('\n')
        .find((text) => text.includes('logged')) ?? '',
    );
    expect(line).toMatchObject({ request_id: 'logged', method: 'GET', path: '/v1/orders', status: '200' });
    expect(output()).not.toContain('somebody');
  });
});
