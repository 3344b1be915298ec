import { describe, expect, it, vi } from 'vitest';
import { requestLines } from '../programs/running-server.ts';
import { aDatabase, LOCK_ORDERS, startServerOn, WAITS_FOR_LOCKS } from '../programs/server-on-database.ts';
import { aSpanCollector, spanNamed, TRACE, TRACEPARENT } from './span-collector.ts';

const NO_ORDER = '00000000-0000-7000-8000-000000000000';

/** Starts a server that sends its spans to a collector, and locks the orders of its database. */
async function aLockedServer(env: Readonly<Record<string, string>>) {
  const [collector, database] = [await aSpanCollector(), await aDatabase()];
  const server = await startServerOn(database, { ...collector.environment, ...env });
  return { collector, database, server, unlock: await database.lock(LOCK_ORDERS) };
}

describe('the trace of a request', () => {
  it('has its id in every log line, and marks faults of the server as errors, and nothing else', async () => {
    const { collector, server, unlock } = await aLockedServer({ STATEMENT_TIMEOUT_MS: '1000' });
    expect((await server.request('/v1/orders', { headers: TRACEPARENT })).status).toBe(503);
    const { spanId, ...failed } = await spanNamed(collector, 'GET /v1/orders');
    expect(failed).toMatchObject({
      attributes: { 'http.response.status_code': 503, 'error.type': '503' },
      status: 2,
    });
    const unavailable = { 'orders.outcome': 'unavailable', 'error.type': 'unavailable' };
    expect(await spanNamed(collector, 'listOrders')).toMatchObject({ attributes: unavailable, status: 2 });
    // The error, and the request. A busy machine writes the log later than the span.
    await expect.poll(() => requestLines(server).length).toBeGreaterThanOrEqual(2);
    for (const line of requestLines(server)) expect(line).toMatchObject({ trace_id: TRACE, span_id: spanId });

    await unlock();
    expect((await server.request(`/v1/orders/${NO_ORDER}`)).status).toBe(404);
    const missing = await spanNamed(collector, 'GET /v1/orders/:id');
    expect(missing).toMatchObject({ attributes: { 'http.response.status_code': 404 }, status: 0 });
    expect(missing.attributes).not.toHaveProperty('error.type');
    const notFound = { 'orders.outcome': 'order_not_found' };
    expect(await spanNamed(collector, 'getOrder')).toMatchObject({ attributes: notFound, status: 0 });
  });

  it('ends when its client disconnects', async () => {
    const { collector, database, server, unlock } = await aLockedServer(WAITS_FOR_LOCKS);
    const leaving = new AbortController();
    const left = server.request('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(async () => expect(await database.waitingForLocks()).toBe(1));
    leaving.abort();
    expect(await left).toBe('left');
    const { attributes } = await spanNamed(collector, 'GET /v1/orders');
    expect(attributes).toEqual({ 'http.request.method': 'GET', 'http.route': '/v1/orders', 'error.type': 'aborted' });
    await unlock();
    await spanNamed(collector, 'listOrders');
  });
});
