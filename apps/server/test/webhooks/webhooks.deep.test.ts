import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aReceiver } from './a-receiver.ts';
import { composeServerOn } from '../composed/composed-server.ts';
import { AN_ORDER, run, startServer } from '../programs/running-server.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

describe('a server with webhooks', () => {
  it('interrupts a hanging attempt when it stops, and makes it again after the next start', async () => {
    const receiver = await aReceiver();
    receiver.state.hangs = true;
    const environment = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1', SHUTDOWN_GRACE_MS: '100' };
    const server = await startServer(environment);
    const body = JSON.stringify({ url: receiver.url });
    expect((await server.request('/v1/webhook_endpoints', { method: 'POST', body })).status).toBe(201);
    await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
    await vi.waitUntil(() => receiver.received.length === 1);
    expect((await server.stop()).code).toBe(0);
    receiver.state.hangs = false;
    await startServer({ ...environment, DATA_DIR: server.dataDir });
    await vi.waitUntil(() => receiver.received.length === 2);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
  });

  it('lets the test of an endpoint end while it stops', async () => {
    const receiver = await aReceiver();
    receiver.state.hangs = true;
    const server = await startServer({ WEBHOOK_ALLOW_CIDRS: '127.0.0.1' });
    const body = JSON.stringify({ url: receiver.url });
    const created = await (await server.request('/v1/webhook_endpoints', { method: 'POST', body })).text();
    const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
    const tested = server.request(`/v1/webhook_endpoints/${id}/tests`, { method: 'POST' });
    await vi.waitUntil(() => receiver.received.length === 1);
    const stopped = server.stop();
    const isRefused = () =>
      fetch(`${server.url}/readyz`).then(
        () => false,
        () => true,
      );
    await vi.waitUntil(isRefused);
    // The worker, which has nothing to do, has ended by now.
    await sleep(200);
    for (const response of receiver.kept) response.writeHead(204).end();
    expect(await (await tested).json()).toMatchObject({ status: 204, error: null });
    expect((await stopped).code).toBe(0);
  });

  it('logs how many events left the feed before an endpoint got them', async () => {
    const receiver = await aReceiver();
    const database = await aDatabase();
    const keys = { WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'key').toString('base64'), WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };
    const server = await startServerOn(database, { ...keys, WEBHOOKS: 'api' });
    const body = JSON.stringify({ url: receiver.url });
    const created = await (await server.send('/v1/webhook_endpoints', { method: 'POST', body })).text();
    const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
    for (let count = 0; count < 2; count += 1) await server.send('/v1/orders', { method: 'POST', body: AN_ORDER });
    expect((await server.send('/v1/events')).status).toBe(200);
    // As a purge does, whose retention no test waits for.
    await database.execute(
      `update orders.feeds set purged = 2, purged_id = (select event_id from orders.changes where owner_id = 'shop' and position = 2)
       where owner_id = 'shop'`,
    );
    const worker = run('cli.ts', { ...keys, DATABASE_URL: database.url }, ['webhooks']);
    const [line] = await worker.says(/.*events left the feed.*/);
    expect(JSON.parse(line)).toMatchObject({ level: 40, owner: 'shop', endpoint: id, count: 2 });
    worker.process.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    expect(receiver.received).toEqual([]);
  });

  it('sends tests and redeliveries, which verify like every event', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ WEBHOOK_ALLOW_CIDRS: '127.0.0.1' });
    const post = (path: string, body?: string) => server.request(path, { method: 'POST', ...(body && { body }) });
    const created = await (await post('/v1/webhook_endpoints', JSON.stringify({ url: receiver.url }))).text();
    const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
    const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(created) ?? [];
    const tested = await post(`/v1/webhook_endpoints/${id}/tests`);
    expect(await tested.json()).toMatchObject({ status: 200, error: null });
    await post('/v1/orders', AN_ORDER);
    // One that is requested during an attempt is delivered by it.
    const log = async () => (await server.request(`/v1/webhook_endpoints/${id}/deliveries`)).text();
    await vi.waitUntil(async () => (await log()).includes('"status":"delivered"'));
    const event_id = receiver.received[1]?.headers['webhook-id'];
    const requested = await post(`/v1/webhook_endpoints/${id}/deliveries`, JSON.stringify({ event_id }));
    expect(requested.status).toBe(202);
    await vi.waitUntil(() => receiver.received.length === 3);
    const sent = receiver.received.map(({ headers, body }) => new Webhook(secret).verify(body, { ...headers }));
    expect(sent).toMatchObject([
      { type: 'webhook_endpoint.test' },
      { type: 'order.placed', data: { id: event_id } },
      { type: 'order.placed', data: { id: event_id } },
    ]);
    expect(receiver.received[2]?.headers['webhook-id']).toBe(event_id);
  });

  it('leaves their delivery to a worker beside it, which has metrics of them and ends cleanly', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ WEBHOOKS: 'api', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' });
    const post = (path: string, body: string) => server.request(path, { method: 'POST', body });
    const created = await post('/v1/webhook_endpoints', JSON.stringify({ url: receiver.url }));
    const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(await created.text()) ?? [];
    await post('/v1/orders', AN_ORDER);
    expect(receiver.received).toEqual([]);
    const environment = { DATA_DIR: server.dataDir, WEBHOOKS: 'off', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };
    const worker = run('cli.ts', { ...environment, METRICS_PORT: '0' }, ['webhooks']);
    await vi.waitUntil(() => receiver.received.length === 1);
    const accepted = async () =>
      (await scrape(worker)).value('orders_webhook_attempts_total', { result: 'accepted' }) === 1;
    await vi.waitUntil(accepted);
    expect((await scrape(worker)).value('orders_webhook_lag_seconds_count')).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ type: 'order.placed' });
    worker.process.kill('SIGTERM');
    const { code, stdout } = await worker.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('"msg":"stopping"');
  });

  it('has metrics of its deliveries', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ METRICS_PORT: '0', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' });
    await server.request('/v1/webhook_endpoints', { method: 'POST', body: JSON.stringify({ url: receiver.url }) });
    await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
    const accepted = async () =>
      (await scrape(server)).value('orders_webhook_attempts_total', { result: 'accepted' }) === 1;
    await vi.waitUntil(accepted);
    expect((await scrape(server)).value('orders_webhook_lag_seconds_count')).toBe(1);
  });

  it('gives an owner the configured pace beside others', async () => {
    const environment = {
      WEBHOOK_ATTEMPTS_PER_OWNER_PER_SECOND: '2',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
      RATE_LIMIT_WRITE: '0',
    };
    const server = await composeServerOn((await aDatabase()).url, environment, { deliversWebhooks: true });
    onTestFinished(() => server.close());
    await server.app.listen({ host: '127.0.0.1', port: 0 });
    const subscribe = async (owner: string) => {
      const receiver = await aReceiver();
      const headers = { 'x-api-key': await server.issueKey(owner), 'content-type': 'application/json' };
      const post = (url: string, payload: string) => server.app.inject({ method: 'POST', url, headers, payload });
      expect((await post('/v1/webhook_endpoints', JSON.stringify({ url: receiver.url }))).statusCode).toBe(201);
      // A busy server may reject a request.
      const place = async () => {
        while ((await post('/v1/orders', AN_ORDER)).statusCode !== 201) await sleep(20);
      };
      return { receiver, place };
    };
    const [busy, other] = [await subscribe('busy'), await subscribe('other')];
    /** Places orders of both owners. Returns the time in which those of the busy one were delivered, in milliseconds. */
    const durationOf = async (count: number) => {
      const due = busy.receiver.received.length + count;
      const began = performance.now();
      for (let placed = 0; placed < count; placed += 1) await busy.place();
      while (busy.receiver.received.length < due) {
        await other.place();
        await sleep(20);
      }
      return performance.now() - began;
    };
    // On a busy machine the other owner may be served too seldom to count.
    await vi.waitUntil(async () => (await durationOf(4)) > 1400);
  });

  it('has none when they are off', async () => {
    const server = await startServerOn(await aDatabase(), { WEBHOOKS: 'off' });
    expect((await server.send('/v1/webhook_endpoints')).status).toBe(404);
  });
});
