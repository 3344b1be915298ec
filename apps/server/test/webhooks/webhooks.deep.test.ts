import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { composeServerOn } from '../composed/composed-server.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { AN_ORDER, placeOrder, type Program, run, startServer } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const ALLOWED = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };

/** Expects that the metrics of a program have one accepted delivery. */
async function expectMeasured(program: Program): Promise<void> {
  const accepted = async () => (await scrape(program)).value('orders_webhook_attempts_total', { result: 'accepted' });
  await vi.waitUntil(async () => (await accepted()) === 1);
  expect((await scrape(program)).value('orders_webhook_lag_seconds_count')).toBe(1);
}

describe('a server with webhooks', () => {
  it('interrupts a hanging attempt when it stops, and makes it again after the next start', async () => {
    const receiver = await aReceiver();
    receiver.state.hangs = true;
    const environment = { ...ALLOWED, SHUTDOWN_GRACE_MS: '100' };
    const server = await startServer(environment);
    await subscribe(server, receiver);
    await placeOrder(server);
    await vi.waitUntil(() => receiver.received.length === 1);
    expect((await server.stop()).code).toBe(0);
    receiver.state.hangs = false;
    await startServer({ ...environment, DATA_DIR: server.dataDir });
    await vi.waitUntil(() => receiver.received.length === 2);
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(first).toBe(second);
  });

  it('lets the test of an endpoint end while it stops', async () => {
    const receiver = await aReceiver();
    receiver.state.hangs = true;
    const server = await startServer(ALLOWED);
    const { path } = await subscribe(server, receiver);
    const tested = server.request(`${path}/tests`, { method: 'POST' });
    await vi.waitUntil(() => receiver.received.length === 1);
    const stopped = server.stop();
    await expect.poll(() => fetch(`${server.url}/readyz`).catch(() => 'refused')).toBe('refused');
    // The worker, which has nothing to do, has ended by now.
    await sleep(200);
    for (const response of receiver.kept) response.writeHead(204).end();
    expect(await (await tested).json()).toMatchObject({ status: 204, error: null });
    expect((await stopped).code).toBe(0);
  });

  it('logs how many events left the feed before an endpoint got them', async () => {
    const [receiver, database] = [await aReceiver(), await aDatabase()];
    const keys = { WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'key').toString('base64'), ...ALLOWED };
    const server = await startServerOn(database, { ...keys, WEBHOOKS: 'api' });
    const { id } = await subscribe(server, receiver);
    for (let count = 0; count < 2; count += 1) await placeOrder(server);
    expect((await server.request('/v1/events')).status).toBe(200);
    // As a purge does, whose retention no test waits for.
    await database.execute(
      `update orders.feeds set purged = 2, purged_id = (select event_id from orders.changes where owner_id = 'shop' and position = 2)
       where owner_id = 'shop'`,
    );
    const worker = run('cli.ts', { ...keys, DATABASE_URL: database.url }, ['webhooks']);
    const [line] = await worker.says(/.*events left the feed.*/);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', owner: 'shop', endpoint: id, count: 2 });
    worker.process.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    expect(receiver.received).toEqual([]);
  });

  it('sends tests, events and redeliveries, which are signed and measured', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ ...ALLOWED, METRICS_PORT: '0' });
    const { path, secret } = await subscribe(server, receiver);
    const tested = await server.request(`${path}/tests`, { method: 'POST' });
    expect(await tested.json()).toMatchObject({ status: 200, error: null });
    await placeOrder(server);
    // One that is requested during an attempt is delivered by it.
    const log = async () => (await server.request(`${path}/deliveries`)).text();
    await vi.waitUntil(async () => (await log()).includes('"status":"delivered"'));
    await expectMeasured(server);
    const event_id = receiver.received[1]?.headers['webhook-id'];
    const body = JSON.stringify({ event_id });
    expect((await server.request(`${path}/deliveries`, { method: 'POST', body })).status).toBe(202);
    await vi.waitUntil(() => receiver.received.length === 3);
    expect(receiver.received.map((request) => receiver.verify(secret, request))).toMatchObject([
      { type: 'webhook_endpoint.test' },
      { type: 'order.placed', data: { id: event_id } },
      { type: 'order.placed', data: { id: event_id } },
    ]);
    expect(receiver.received[2]?.headers['webhook-id']).toBe(event_id);
  });

  it('leaves their delivery to a worker beside it, which has metrics of them and ends cleanly', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ ...ALLOWED, WEBHOOKS: 'api' });
    await subscribe(server, receiver);
    await placeOrder(server);
    expect(receiver.received).toEqual([]);
    const environment = { ...ALLOWED, DATA_DIR: server.dataDir, WEBHOOKS: 'off', METRICS_PORT: '0' };
    const worker = run('cli.ts', environment, ['webhooks']);
    await expectMeasured(worker);
    expect(receiver.received).toHaveLength(1);
    worker.process.kill('SIGTERM');
    const { code, stdout } = await worker.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('"msg":"stopping"');
  });

  it('gives an owner the configured pace beside others', async () => {
    const environment = { ...ALLOWED, WEBHOOK_ATTEMPTS_PER_OWNER_PER_SECOND: '2', RATE_LIMIT_WRITE: '0' };
    const server = await composeServerOn((await aDatabase()).url, environment, { deliversWebhooks: true });
    onTestFinished(() => server.close());
    await server.app.listen({ host: '127.0.0.1', port: 0 });
    const subscribed = async (owner: string) => {
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
    const [busy, other] = [await subscribed('busy'), await subscribed('other')];
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
    expect((await server.request('/v1/webhook_endpoints')).status).toBe(404);
  });
});
