import { once } from 'node:events';
import { createServer } from 'node:http';
import assert from 'node:assert/strict';
import { expect, it, onTestFinished, vi } from 'vitest';
import { composeServer, composeServerOn } from '../composed/composed-server.ts';
import { AN_ORDER } from '../programs/running-server.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Starts a receiver that accepts everything, and returns the ids of what it received. */
async function aReceiver() {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers['webhook-id']);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { url: `http://127.0.0.1:${address.port}/`, received };
}

it('delivers the event of a write of its own process at once, without a background query, also to a new endpoint', async () => {
  const { url, received } = await aReceiver();
  const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };
  let databaseUrl = '';
  const first = await composeServer(env, (its) => {
    databaseUrl = its;
    return Promise.resolve(its);
  });
  onTestFinished(() => first.close());
  let queries = 0;
  const server = await composeServerOn(databaseUrl, env, {
    deliversWebhooks: true,
    webhookPollMs: HOUR_MS,
    webhookObserver: { ownersDue: () => void (queries += 1) },
  });
  onTestFinished(() => server.close());
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  // The first query comes at once, the next one in an hour.
  await vi.waitUntil(() => queries === 1);
  const headers = { 'x-api-key': await first.issueKey('shop'), 'content-type': 'application/json' };
  const post = (path: string, payload: string) => ({ method: 'POST', url: path, headers, payload }) as const;
  // Without an endpoint, it leads to no delivery.
  expect((await server.app.inject(post('/v1/orders', AN_ORDER))).statusCode).toBe(201);
  expect((await server.app.inject(post('/v1/webhook_endpoints', JSON.stringify({ url })))).statusCode).toBe(201);
  expect((await server.app.inject(post('/v1/orders', AN_ORDER))).statusCode).toBe(201);
  await vi.waitUntil(() => received.length === 1);
  expect(queries).toBe(1);
});
