import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from './begin-order.ts';
import { AN_ORDER, placeOrder, requestLines, startServer } from './running-server.ts';
import { aDatabase, startServerOn, WAITS_FOR_LOCKS } from './server-on-database.ts';
import {
  aSpanCollector,
  type CollectedSpan,
  PARENT,
  type SpanCollector,
  TRACE,
  TRACEPARENT,
} from './span-collector.ts';

const SPAN = /^(?!0{16})[0-9a-f]{16}$/;
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** The one span of this name, when it has arrived. */
async function spanNamed(collector: SpanCollector, name: string): Promise<CollectedSpan> {
  return await vi.waitFor(() => {
    const [span, ...others] = collector.spans().filter((collected) => collected.name === name);
    if (!span || others.length > 0) throw new Error(`${others.length} too many, or none: ${name}`);
    return span;
  }, 10_000);
}

describe('the trace of a request', () => {
  it('goes on with the span of its client, and has the use case in it', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const answer = await server.request('/v1/orders?limit=3&reference=somebody', { headers: TRACEPARENT });
    expect(answer.status).toBe(200);
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

  it('begins with it when its client has none, or a bad one, also when it has a body', async () => {
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

  it('has the use case in it also when the body comes late', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const socket = await beginOrder(server);
    socket.write(AN_ORDER);
    const { traceId, spanId } = await spanNamed(collector, 'POST /v1/orders');
    expect(await spanNamed(collector, 'placeOrder')).toMatchObject({ traceId, parentSpanId: spanId });
    socket.destroy();
  });

  it('is its own, however many requests there are at once', async () => {
    const collector = await aSpanCollector();
    const server = await startServer(collector.environment);
    const post = { method: 'POST', body: AN_ORDER };
    await Promise.all(Array.from({ length: 20 }, async () => await server.request('/v1/orders', post)));
    await vi.waitFor(() => expect(collector.spans()).toHaveLength(40), 10_000);
    const requests = new Map(collector.spans().map((span) => [span.spanId, span]));
    const useCases = collector.spans().filter(({ name }) => name === 'placeOrder');
    for (const { traceId, parentSpanId = '' } of useCases) expect(requests.get(parentSpanId)?.traceId).toBe(traceId);
    expect(new Set(useCases.map(({ traceId }) => traceId)).size).toBe(20);
  });

  it('is named in every line of its log', async () => {
    const collector = await aSpanCollector();
    const database = await aDatabase();
    const server = await startServerOn(database, { ...collector.environment, STATEMENT_TIMEOUT_MS: '200' });
    const unlock = await database.lockOrders();
    expect((await server.ask('/v1/orders', { headers: TRACEPARENT })).status).toBe(503);
    await unlock();
    const { spanId } = await spanNamed(collector, 'GET /v1/orders');
    // What went wrong, and the request. A busy machine reads the log later than the span.
    await expect.poll(() => requestLines(server).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    for (const line of requestLines(server)) expect(line).toMatchObject({ trace_id: TRACE, span_id: spanId });
  });

  it('says what is the fault of the server, and only that', async () => {
    const collector = await aSpanCollector();
    const database = await aDatabase();
    const server = await startServerOn(database, { ...collector.environment, STATEMENT_TIMEOUT_MS: '200' });
    const unlock = await database.lockOrders();
    expect((await server.ask('/v1/orders')).status).toBe(503);
    await unlock();
    expect((await server.ask(`/v1/orders/${NOBODY}`)).status).toBe(404);
    expect(await spanNamed(collector, 'GET /v1/orders')).toMatchObject({
      attributes: { 'http.response.status_code': 503, 'error.type': '503' },
      status: 2,
    });
    expect(await spanNamed(collector, 'listOrders')).toMatchObject({
      attributes: { 'orders.outcome': 'unavailable', 'error.type': 'unavailable' },
      status: 2,
    });
    const missing = await spanNamed(collector, 'GET /v1/orders/:id');
    expect(missing).toMatchObject({ attributes: { 'http.response.status_code': 404 }, status: 0 });
    expect(missing.attributes).not.toHaveProperty('error.type');
    expect(await spanNamed(collector, 'getOrder')).toMatchObject({
      attributes: { 'orders.outcome': 'order_not_found' },
      status: 0,
    });
  });

  it('ends when its client leaves', async () => {
    const collector = await aSpanCollector();
    const database = await aDatabase();
    const server = await startServerOn(database, { ...collector.environment, ...WAITS_FOR_LOCKS });
    const unlock = await database.lockOrders();
    const leaving = new AbortController();
    const left = server.ask('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(async () => expect(await database.waitingForLocks()).toBe(1), 20_000);
    leaving.abort();
    expect(await left).toBe('left');
    const { attributes } = await spanNamed(collector, 'GET /v1/orders');
    expect(attributes).toEqual({ 'http.request.method': 'GET', 'http.route': '/v1/orders', 'error.type': 'aborted' });
    await unlock();
    await spanNamed(collector, 'listOrders');
  });

  it('holds nothing that its client sent but the trace', async () => {
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
