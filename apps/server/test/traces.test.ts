import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { aDataDir, AN_ORDER, placeOrder, run, type RunningServer, startServer } from './running-server.ts';
import { aDatabase, startServerOn } from './server-on-database.ts';
import { aSpanCollector, type CollectedSpan, type SpanCollector } from './span-collector.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = { traceparent: `00-${TRACE}-${PARENT}-01` };
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

/** What the server logged about requests. */
function requestLines(server: RunningServer): readonly unknown[] {
  const lines = server.output().split('\n');
  return lines.filter((line) => line.includes('"request_id"')).map((line): unknown => JSON.parse(line));
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
    const key = (await readFile(join(server.dataDir, 'demo-api-key'), 'utf8')).trim();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = ['POST /v1/orders HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json'];
    socket.write(`${[...head, 'Expect: 100-continue', `Content-Length: ${AN_ORDER.length}`].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data'); // 100 Continue: the server has the request.
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
    const lines = requestLines(server);
    expect(lines.length).toBeGreaterThanOrEqual(2); // What went wrong, and the request.
    for (const line of lines) expect(line).toMatchObject({ trace_id: TRACE, span_id: spanId });
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
    const server = await startServerOn(database, collector.environment);
    const unlock = await database.lockOrders();
    const leaving = new AbortController();
    const left = server.ask('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(async () => {
      const waiting = await database.execute(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`);
      expect(waiting).toHaveLength(1);
    }, 4000);
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

describe('traces', () => {
  it('are sent as protobuf unless JSON is asked for, with the last ones when the server stops', async () => {
    const collector = await aSpanCollector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here` });
    await server.request('/v1/orders', { headers: TRACEPARENT });
    expect((await server.stop()).code).toBe(0);
    expect(collector.requests.map(({ url, headers }) => [url, headers['content-type']])).toEqual([
      ['/here', 'application/x-protobuf'],
    ]);
    expect(collector.requests[0]?.body.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
    expect(collector.requests[0]?.body.includes('listOrders')).toBe(true);
  });

  for (const [name, sampled] of [
    ['parentbased_always_on', ['with', 'without']],
    ['parentbased_always_off', ['with']],
    ['always_on', ['with', 'not', 'without']],
    ['always_off', []],
  ] as const) {
    it(`are of the requests that ${name} says`, async () => {
      const collector = await aSpanCollector();
      const server = await startServer({ ...collector.environment, OTEL_TRACES_SAMPLER: name });
      const send = async (headers = {}) => await server.request('/livez', { headers });
      await send({ traceparent: `00-${'1'.repeat(32)}-${PARENT}-01` });
      await send({ traceparent: `00-${'2'.repeat(32)}-${PARENT}-00` });
      await send();
      await server.stop();
      const kinds = { ['1'.repeat(32)]: 'with', ['2'.repeat(32)]: 'not' };
      const seen = collector.spans().map(({ traceId }) => kinds[traceId] ?? 'without');
      expect(seen.toSorted()).toEqual([...sampled].toSorted());
      // Lines can be told apart by trace all the same.
      for (const line of requestLines(server)) expect(line).toHaveProperty('trace_id', expect.any(String));
    });
  }

  for (const [name, ratio, expected] of [
    ['traceidratio', '0', 0],
    ['parentbased_traceidratio', '0', 0],
    ['traceidratio', '1', 1],
    ['parentbased_traceidratio', '1', 1],
  ] as const) {
    it(`are of a share of ${ratio} of the requests when ${name} says so`, async () => {
      const collector = await aSpanCollector();
      const sampler = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio };
      const server = await startServer({ ...collector.environment, ...sampler });
      await server.request('/livez');
      await server.stop();
      expect(collector.spans()).toHaveLength(expected);
    });
  }

  it('are off unless asked for, and can be turned off', async () => {
    const collector = await aSpanCollector();
    for (const environment of [
      {},
      { OTEL_SERVICE_NAME: 'orders' },
      { ...collector.environment, OTEL_SDK_DISABLED: 'TRUE' },
      { ...collector.environment, OTEL_TRACES_EXPORTER: 'none' },
    ]) {
      const server = await startServer(environment);
      await server.request('/v1/orders', { headers: TRACEPARENT });
      await server.stop();
      expect(requestLines(server)).not.toHaveLength(0);
      for (const line of requestLines(server)) expect(line).not.toHaveProperty('trace_id');
    }
    expect(collector.requests).toEqual([]);
  });

  it('are refused by name when they cannot be had as asked', async () => {
    const { code, stderr } = await run('main.ts', {
      DATA_DIR: await aDataDir(),
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '2',
    }).finished;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      '  OTEL_TRACES_EXPORTER: must be otlp or none',
      '  OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL',
      '  OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json',
      expect.stringContaining('  OTEL_TRACES_SAMPLER: must be one of always_on, always_off, traceidratio'),
      '  OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
    ]);
  });
});

describe('a collector', () => {
  it('that is not there disturbs no request, is told of once, and does not keep the server from stopping', async () => {
    // Nothing is retried for long, so that the log has the outage soon.
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
    const server = await startServer({ ...environment, OTEL_BSP_SCHEDULE_DELAY: '20' });
    for (let n = 0; n < 3; n += 1) {
      expect((await server.request('/v1/orders')).status).toBe(200);
      await server.says(/spans cannot be delivered.*\n/);
    }
    const begun = performance.now();
    const { code, stderr, stdout } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/spans cannot be delivered/g)).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(8000);
  });

  it('that never answers does not keep the server from stopping', async () => {
    const collector = await aSpanCollector({ silent: true });
    const server = await startServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    });
    expect((await server.request('/v1/orders')).status).toBe(200);
    const begun = performance.now();
    const { code, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(collector.requests).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });
});
