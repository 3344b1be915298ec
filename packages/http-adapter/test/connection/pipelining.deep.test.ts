import { once } from 'node:events';
import type { Order } from '@orders/domain';
import { anOrder, fixedClock, inMemoryStore } from '@orders/domain/testing';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aCountingObserver } from '../fixtures/a-counting-observer.ts';
import { aDomain } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { connectByTls, TLS_SERVER } from '../fixtures/pre-shared-key.ts';
import { exchange, head, KEPT, open, placing, statuses } from '../fixtures/raw-http.ts';

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Creates an API over a store that finds an order on demand, and counts the placed orders. */
async function aSlowApi(wanted: Parameters<typeof anApi>[0] = {}) {
  const order = anOrder();
  const lookups: ((found: Order) => void)[] = [];
  const load = () =>
    new ResultAsync(new Promise<Order>((resolve) => lookups.push(resolve)).then((aggregate) => ok({ aggregate })));
  const { orders, customers } = inMemoryStore();
  const commit = vi.fn<typeof orders.commit>((...args) => orders.commit(...args));
  const api = await anApi({
    domain: aDomain(fixedClock(), { orders: { ...orders, load, commit }, customers }),
    ...wanted,
  });
  const key = api.keys.issue();
  const get = (method = 'GET') => head(`${method} /v1/orders/${order.id} HTTP/1.1`, { ...KEPT, 'X-API-Key': key });
  return {
    ...api,
    key,
    url: `/v1/orders/${order.id}`,
    get: get(),
    head: get('HEAD'),
    lookups: () => lookups.length,
    finish: (count = lookups.length) => {
      for (const resolve of lookups.splice(0, count)) resolve(order);
    },
    placed: () => commit.mock.calls.length,
  };
}

/** Finishes lookups as they arrive, until `isDone`. */
async function finishUntil(api: { finish: () => void }, isDone: () => boolean): Promise<void> {
  await vi.waitFor(
    () => {
      api.finish();
      expect(isDone()).toBe(true);
    },
    { interval: 2 },
  );
}

describe('pipelined requests', () => {
  it('run at most eight at a time and get their responses in order', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    socket.write(times(10, api.get + api.head).join('') + head('GET /v1/nothing HTTP/1.1'));
    await vi.waitFor(() => expect(api.lookups()).toBe(8));
    // A request on another connection is served meanwhile.
    expect((await api.acme.get('/v1/nothing')).status).toBe(404);
    expect(api.lookups()).toBe(8);
    api.finish(1);
    await vi.waitFor(() => expect(api.lookups()).toBe(8));
    const closed = once(socket, 'close');
    await finishUntil(api, () => received().includes('HTTP/1.1 404 '));
    await closed;
    expect(statuses(received())).toEqual([...times(20, '200'), '404']);
  });

  it('wait for every earlier response if their method is unsafe, and so do all later ones', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    socket.write(api.get + placing(api.key) + api.get);
    await vi.waitFor(() => expect(api.lookups()).toBe(1));
    expect(api.placed()).toBe(0);
    api.finish();
    await vi.waitFor(() => expect(api.lookups()).toBe(1));
    expect(statuses(received())).toEqual(['200', '201']);
    expect(api.placed()).toBe(1);
    await finishUntil(api, () => statuses(received()).length === 3);
  });

  it('are served in order when they arrive in many chunks, with bodies', async () => {
    const api = await anApi({ bodyLimitBytes: 1024 * 1024 });
    const key = api.keys.issue();
    const large = placing(key, { 'Content-Length': '300000' }).replace(/\{.*$/, 'x'.repeat(300_000));
    const each =
      placing(key, {}, { note: 'n'.repeat(1900) }) + head('GET /v1/orders HTTP/1.1', { ...KEPT, 'X-API-Key': key });
    const received = await exchange(api, times(20, each).join('') + large + head('GET /v1/nothing HTTP/1.1'));
    expect(statuses(received)).toEqual([...times(20, ['201', '200']).flat(), '400', '404']);
  });

  it('are not executed when their body is malformed, and get one response', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    const closed = once(socket, 'close');
    const chunked = {
      ...KEPT,
      'X-API-Key': api.key,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    };
    socket.write(`${api.get}${head('POST /v1/orders HTTP/1.1', chunked)}no chunk\r\n`);
    await finishUntil(api, () => statuses(received()).length === 2);
    await closed;
    expect(statuses(received())).toEqual(['200', '400']);
  });

  it.each([
    ['malformed bytes', 'nonsense\r\n\r\n', '400'],
    ['a CONNECT', head('CONNECT orders.test:443 HTTP/1.1'), '405'],
  ])('get their responses before the rejection of %s', async (_, last, status) => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    const closed = once(socket, 'close');
    socket.write(times(10, api.get).join('') + last);
    await finishUntil(api, () => statuses(received()).length === 11);
    await closed;
    expect(statuses(received())).toEqual([...times(10, '200'), status]);
  });

  it('count as waiting only until they are processed', async () => {
    const api = await aSlowApi();
    // More than may wait on all connections before one with many is cut.
    await exchange(api, times(17_000, head('GET /v1/nothing HTTP/1.1', KEPT)).join('') + head('GET / HTTP/1.1'));
    const { socket, received } = await open(api);
    socket.write(times(300, api.get).join(''));
    await finishUntil(api, () => statuses(received()).length === 300);
    expect(statuses(received())).toEqual(times(300, '200'));
  });

  it('receive 100 Continue when they are processed', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    const [before = '', body = ''] = placing(api.key, { Expect: '100-continue' }).split(/(?<=\r\n\r\n)/);
    socket.write(api.get + before);
    await vi.waitFor(() => expect(api.lookups()).toBe(1));
    expect(received()).toBe('');
    api.finish();
    await vi.waitFor(() => expect(statuses(received())).toEqual(['200', '100']));
    socket.write(body);
    await vi.waitFor(() => expect(statuses(received())).toEqual(['200', '100', '201']));
  });
});

describe('a request after a response that ends the connection', () => {
  it.each([
    ['HTTP/1.0 with chunks', 'GET /nothing HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'HTTP/1.0 with chunks, kept alive',
      'GET /nothing HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a coding without an end', 'POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n'],
  ])('is not executed: %s', async (_, bytes) => {
    const api = await aSlowApi();
    const received = await exchange(api, bytes + placing(api.key));
    expect(statuses(received)).toEqual(['400']);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
    expect(api.placed()).toBe(0);
  });

  it('is not executed when it arrives later', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    const closed = once(socket, 'close');
    const last =
      'GET /nothing HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    socket.write(last);
    await once(socket, 'data');
    socket.write(placing(api.key));
    await closed;
    expect(statuses(received())).toEqual(['400']);
    expect(api.placed()).toBe(0);
  });

  it('is not executed while the server closes', async () => {
    const api = await aSlowApi();
    const { socket, received } = await open(api);
    const closed = once(socket, 'close');
    socket.write(api.get + times(5, placing(api.key)).join(''));
    await vi.waitFor(() => expect(api.lookups()).toBe(1));
    const stopped = api.app.close();
    await vi.waitFor(() => expect(api.app.server.listening).toBe(false));
    api.finish();
    await closed;
    await stopped;
    // The first response announces that it is the last one.
    expect(statuses(received())).toEqual(['200', '201']);
    expect(api.placed()).toBe(1);
  });
});

describe('a client that disconnects with waiting requests', () => {
  it('leaves no state, and its waiting requests are not executed', async () => {
    const observer = aCountingObserver();
    const api = await aSlowApi({ concurrencyMax: 16, observer });
    const tunnel = head('CONNECT orders.test:443 HTTP/1.1');
    for (const last of ['', placing(api.key), 'nonsense\r\n\r\n', tunnel]) {
      const each = await open(api);
      each.socket.write(api.get.repeat(20) + last);
      await vi.waitFor(() => expect(api.lookups()).toBe(8));
      each.socket.resetAndDestroy();
      // All eight slots are free again once the server writes to no client.
      await finishUntil(api, () => observer.requestsDiscarded.mock.calls.length > 0);
      observer.requestsDiscarded.mockClear();
      await vi.waitFor(async () => expect((await api.acme.get('/v1/nothing')).status).toBe(404));
    }
    expect(api.placed()).toBe(0);
    const eight = Array.from({ length: 8 }, () => api.acme.get(api.url));
    await vi.waitFor(() => expect(api.lookups()).toBe(8));
    api.finish();
    for (const { status } of await Promise.all(eight)) expect(status).toBe(200);
  });
});

describe('a connection with TLS', () => {
  it('has the same limits', async () => {
    const api = await aSlowApi({ https: TLS_SERVER });
    const { socket, received } = await open(api, connectByTls);
    socket.write(api.get.repeat(100));
    await vi.waitFor(() => expect(api.lookups()).toBe(8));
    expect((await api.acme.get('/v1/nothing')).status).toBe(404);
    expect(api.lookups()).toBe(8);
    await finishUntil(api, () => statuses(received()).length === 100);
    expect(new Set(statuses(received()))).toEqual(new Set(['200']));
  });
});
