import { expect, it, onTestFinished, vi } from 'vitest';
import { composeServerOn } from '../composed/composed-server.ts';
import { aReceiver } from '../programs/a-receiver.ts';
import { AN_ORDER } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const HOUR_MS = 60 * 60 * 1000;

it('delivers the event of a write of its own process at once, without a background query, also to a new endpoint', async () => {
  const [{ url, apiKey }, receiver] = [await aDatabase(), await aReceiver()];
  let queries = 0;
  const server = await composeServerOn(
    url,
    { WEBHOOK_ALLOW_CIDRS: '127.0.0.1' },
    { deliversWebhooks: true, webhookPollMs: HOUR_MS, webhookObserver: { ownersDue: () => void (queries += 1) } },
  );
  onTestFinished(() => server.close());
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  // The first query comes at once, the next one in an hour.
  await vi.waitUntil(() => queries === 1);
  const post = async (path: string, payload: string) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    expect((await server.app.inject({ method: 'POST', url: path, headers, payload })).statusCode).toBe(201);
  };
  // Without an endpoint, it leads to no delivery.
  await post('/v1/orders', AN_ORDER);
  await post('/v1/webhook_endpoints', JSON.stringify({ url: receiver.url }));
  await post('/v1/orders', AN_ORDER);
  await vi.waitUntil(() => receiver.received.length === 1);
  expect(queries).toBe(1);
});
