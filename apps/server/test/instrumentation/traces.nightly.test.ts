import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from '../programs/connections.ts';
import { AN_ORDER, placeOrder, startServer } from '../programs/running-server.ts';
import { aSpanCollector, PARENT, spanNamed, TRACE, TRACEPARENT } from './span-collector.ts';

/** Starts a server that sends its spans to a collector. */
async function aTracedServer(env: Readonly<Record<string, string>> = {}) {
  const collector = await aSpanCollector();
  return { collector, server: await startServer({ ...collector.environment, ...env }) };
}

describe('the trace of a request', () => {
  it('continues the span of its client, and contains the use case', async () => {
    const { collector, server } = await aTracedServer();
    const path = '/v1/orders?limit=3&reference=somebody';
    expect((await server.request(path, { headers: TRACEPARENT })).status).toBe(200);
    const request = await spanNamed(collector, 'GET /v1/orders');
    const spanId: unknown = expect.stringMatching(/^(?!0{16})[0-9a-f]{16}$/);
    const common = { traceId: TRACE, spanId, status: 0, service: 'orders' };
    expect(request).toEqual({
      ...common,
      name: 'GET /v1/orders',
      parentSpanId: PARENT,
      kind: 2,
      attributes: { 'http.request.method': 'GET', 'http.route': '/v1/orders', 'http.response.status_code': 200 },
    });
    expect(await spanNamed(collector, 'listOrders')).toEqual({
      ...common,
      name: 'listOrders',
      parentSpanId: request.spanId,
      kind: 1,
      attributes: { 'orders.outcome': 'ok' },
    });
  });

  it('starts at the server when the client sends an invalid one, and contains the use case when the body arrives late', async () => {
    const { collector, server } = await aTracedServer({ OTEL_SERVICE_NAME: 'orders-eu' });
    const headers = { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` };
    expect((await server.request('/v1/events', { headers })).status).toBe(200);
    const socket = await beginOrder(server);
    socket.write(AN_ORDER);
    for (const [name, useCaseName] of [
      ['GET /v1/events', 'readEvents'],
      ['POST /v1/orders', 'placeOrder'],
    ] as const) {
      const { traceId, spanId, parentSpanId, service } = await spanNamed(collector, name);
      expect([parentSpanId, service]).toEqual([undefined, 'orders-eu']);
      expect(traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(await spanNamed(collector, useCaseName)).toMatchObject({ traceId, parentSpanId: spanId });
    }
    socket.destroy();
  });

  it('is separate for each concurrent request', async () => {
    const { collector, server } = await aTracedServer();
    await Promise.all(Array.from({ length: 20 }, () => placeOrder(server)));
    await vi.waitFor(() => expect(collector.spans()).toHaveLength(40));
    const requests = new Map(collector.spans().map((span) => [span.spanId, span]));
    const useCases = collector.spans().filter(({ name }) => name === 'placeOrder');
    for (const { traceId, parentSpanId = '' } of useCases) expect(requests.get(parentSpanId)?.traceId).toBe(traceId);
    expect(new Set(useCases.map(({ traceId }) => traceId)).size).toBe(20);
  });

  it('contains no values of its client except the trace', async () => {
    const { collector, server } = await aTracedServer();
    const id = await placeOrder(server);
    await server.request(`/v1/orders/${id}`);
    await server.request('/v1/orders?reference=made-up');
    await server.request(`/v1/nothing/${id}`, { method: 'PROPFIND', headers: { 'idempotency-key': 'a-key' } });
    const unknown = await spanNamed(collector, 'HTTP');
    expect(unknown.attributes).toEqual({ 'http.request.method': '_OTHER', 'http.response.status_code': 404 });
    for (const useCase of ['placeOrder', 'getOrder', 'listOrders']) await spanNamed(collector, useCase);
    const sent = collector.requests.map(({ body }) => body.toString()).join();
    for (const secret of [id, 'made', 'nothing', 'PROPFIND', 'a-key', 'demo', '127.0.0.1'])
      expect(sent).not.toContain(secret);
  });
});
