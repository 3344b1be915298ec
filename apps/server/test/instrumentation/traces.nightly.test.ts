import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from '../programs/begin-order.ts';
import { AN_ORDER, placeOrder, startServer } from '../programs/running-server.ts';
import { aSpanCollector, PARENT, spanNamed, TRACE, TRACEPARENT } from './span-collector.ts';

const SPAN = /^(?!0{16})[0-9a-f]{16}$/;

describe('the trace of a request', () => {
  it('continues the span of its client, and contains the use case', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const response = await server.request('/v1/orders?limit=3&reference=somebody', { headers: TRACEPARENT });
    expect(response.status).toBe(200);
    const request = await spanNamed(collector, 'GET /v1/orders');
    expect(request.spanId).toMatch(SPAN);
    expect(request).toEqual({
      name: 'GET /v1/orders',
      traceId: TRACE,
      spanId: request.spanId,
      parentSpanId: PARENT,
      kind: 2,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/orders',
        'http.response.status_code': 200,
      },
      status: 0,
      service: 'orders',
    });
    const useCase = await spanNamed(collector, 'listOrders');
    expect(useCase.spanId).toMatch(SPAN);
    expect(useCase).toEqual({
      name: 'listOrders',
      traceId: TRACE,
      spanId: useCase.spanId,
      parentSpanId: request.spanId,
      kind: 1,
      attributes: { 'orders.outcome': 'ok' },
      status: 0,
      service: 'orders',
    });
  });

  it('starts at the server when the client sends none, or an invalid one, also with a body', async () => {
    const collector = await aSpanCollector();
    const server = await startServer({ ...collector.environment, OTEL_SERVICE_NAME: 'orders-eu' });
    const headers = { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` };
    expect((await server.request('/v1/orders', { method: 'POST', body: AN_ORDER, headers })).status).toBe(201);
    const request = await spanNamed(collector, 'POST /v1/orders');
    const useCase = await spanNamed(collector, 'placeOrder');
    expect(request).toMatchObject({ parentSpanId: undefined, service: 'orders-eu' });
    expect(request.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(useCase).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId });
  });

  it('contains the use case when the body arrives late', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const socket = await beginOrder(server);
    socket.write(AN_ORDER);
    const { traceId, spanId } = await spanNamed(collector, 'POST /v1/orders');
    expect(await spanNamed(collector, 'placeOrder')).toMatchObject({ traceId, parentSpanId: spanId });
    socket.destroy();
  });

  it('contains a read of events', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    await server.request('/v1/events');
    const { traceId, spanId } = await spanNamed(collector, 'GET /v1/events');
    expect(await spanNamed(collector, 'readEvents')).toMatchObject({ traceId, parentSpanId: spanId });
  });

  it('is separate for each concurrent request', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const post = { method: 'POST', body: AN_ORDER };
    await Promise.all(Array.from({ length: 20 }, async () => await server.request('/v1/orders', post)));
    await vi.waitFor(() => expect(collector.spans()).toHaveLength(40));
    const requests = new Map(collector.spans().map((span) => [span.spanId, span]));
    const useCases = collector.spans().filter(({ name }) => name === 'placeOrder');
    for (const { traceId, parentSpanId = '' } of useCases) expect(requests.get(parentSpanId)?.traceId).toBe(traceId);
    expect(new Set(useCases.map(({ traceId }) => traceId)).size).toBe(20);
  });

  it('contains no values of its client except the trace', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const id = String(await placeOrder(server));
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
