import { ResultAsync } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aDomainOver } from '../fixtures/a-domain.ts';
import type { Api } from '../fixtures/an-api.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';
import { head } from '../fixtures/raw-http.ts';
import { anApiOfLargeOrders, KEPT, MIB, sendUnread } from './large-orders.ts';

/** Returns the number of connections of the server. */
const connectionsOf = ({ app }: Pick<Api, 'app'>) =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const hasConnections = (api: Pick<Api, 'app'>, count: number) =>
  vi.waitFor(async () => expect(await connectionsOf(api)).toBe(count), { interval: 20 });

describe('responses that a client does not read', () => {
  it('do not count as concurrent requests', async () => {
    const api = await anApiOfLargeOrders({ concurrencyMax: 2 });
    for (let client = 1; client <= 5; client += 1) {
      await sendUnread(api, api.get.repeat(8));
      await vi.waitFor(() => expect(api.load.mock.calls.length).toBeGreaterThanOrEqual(client));
      await vi.waitFor(async () => expect((await api.acme.get('/v1/nothing')).status).toBe(404));
    }
    expect((await api.acme.post('/v1/orders', aNewOrder())).status).toBe(201);
  });

  it('stop the processing of later requests', async () => {
    const api = await anApiOfLargeOrders();
    const socket = await sendUnread(api, api.get.repeat(80));
    await vi.waitFor(() => expect(api.load.mock.calls.length).toBeGreaterThanOrEqual(8));
    for (let other = 0; other < 50; other += 1) expect((await api.acme.get('/v1/nothing')).status).toBe(404);
    expect(api.load.mock.calls.length).toBeLessThanOrEqual(16);
    // They are served as soon as the client reads.
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(160 * MIB));
    expect(api.load).toHaveBeenCalledTimes(80);
  });

  it('cause only their connection to be destroyed when too many later requests wait', async () => {
    const api = await anApiOfLargeOrders({ concurrencyMax: 20, responseReadTimeoutMs: 2000 });
    const [path] = /docs\/[^"]*swagger-ui-bundle\.js/.exec((await api.app.inject('/docs')).payload) ?? [];
    const bundle = head(`GET /${path} HTTP/1.1`, KEPT);
    const identity = bundle.replace('\r\n\r\n', '\r\nAccept-Encoding: identity\r\n\r\n');
    await sendUnread(api, identity.repeat(8) + head('GET /x HTTP/1.1', KEPT).repeat(1100));
    await hasConnections(api, 1);
    await vi.waitFor(async () => {
      expect((await api.acme.get('/v1/nothing')).status).toBe(404);
      expect(await connectionsOf(api)).toBe(0);
    });
    expect(api.observer.connectionCut).toHaveBeenCalledTimes(1);
    expect(api.observer.loadShed).not.toHaveBeenCalled();
  });

  it('cause the connections with most waiting requests to be destroyed when all connections have too many', async () => {
    // No response is unread here, because the lookups have not finished.
    const api = await anApiOfLargeOrders({
      ...aDomainOver({ load: () => new ResultAsync(new Promise<never>(() => {})) }),
    });
    const modest = await sendUnread(api, api.get.repeat(50));
    await hasConnections(api, 1);
    const short = 'GET /x HTTP/1.1\r\nHost:x\r\n\r\n';
    for (let client = 0; client < 12; client += 1) await sendUnread(api, api.get + short.repeat(2300));
    await vi.waitFor(() => expect(api.observer.connectionCut.mock.calls.length).toBeGreaterThan(3));
    expect(modest.destroyed).toBe(false);
    expect(await connectionsOf(api)).toBeGreaterThan(3);
    expect((await api.acme.get('/v1/nothing')).status).toBe(404);
  });

  it('cause the connection to be destroyed when the read timeout expires', async () => {
    const api = await anApiOfLargeOrders({ responseReadTimeoutMs: 100 });
    await sendUnread(api, api.get.repeat(8));
    await hasConnections(api, 1);
    await hasConnections(api, 0);
    expect(api.observer.connectionCut).toHaveBeenCalledTimes(1);
  });

  it('cause the connection to be destroyed even if they are read byte by byte', async () => {
    const api = await anApiOfLargeOrders({ responseReadTimeoutMs: 100 });
    const socket = await sendUnread(api, api.get.repeat(8));
    await hasConnections(api, 1);
    const drip = setInterval(() => void socket.read(1), 10);
    onTestFinished(() => clearInterval(drip));
    await hasConnections(api, 0);
    expect(api.observer.connectionCut).toHaveBeenCalledTimes(1);
  });

  it('do not affect a client that reads, waits or sends slowly', async () => {
    const api = await anApiOfLargeOrders({ responseReadTimeoutMs: 300 });
    const begun = performance.now();
    const idle = await sendUnread(api, '');
    const reading = await sendUnread(api, api.get.repeat(10));
    let bytes = 0;
    reading.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    const key = { 'X-API-Key': api.keys.issue(), 'Content-Type': 'application/json', 'Content-Length': '10' };
    const sending = await sendUnread(api, head('POST /v1/orders HTTP/1.1', { ...KEPT, ...key }));
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(20 * MIB));
    // More than twice the read timeout.
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(begun + 700));
    expect(api.observer.connectionCut).not.toHaveBeenCalled();
    expect(await connectionsOf(api)).toBe(3);
    for (const socket of [idle, reading, sending]) expect(socket.destroyed).toBe(false);
  });
});
