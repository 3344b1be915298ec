import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type AbortSignalLike, createOrdersClient } from '@orders/client';
import { err } from 'neverthrow';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { aHandWrittenServer, aServer, portOf } from '../servers/a-server.ts';
import { TEA } from '../doors/doors.ts';

const ORDER = { id: '019b2a4e-8f00-7000-8000-000000000001', version: 1, status: 'of_tomorrow' };
const NEW = { items: [TEA] };
const KEY = { idempotencyKey: 'k1' };

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Without the random wait, which has tests of its own. */
function withoutJitter(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0);
}

/** A time limit that only `vi.advanceTimersByTime` reaches. */
const TIMEOUT_MS = 600_000;

/** Short waits still end by themselves. */
function withVirtualTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Starts a server with one response after the other; the last one is sent from then on. */
async function aServerThatSends(...responses: readonly ((response: ServerResponse) => void)[]) {
  const keys: unknown[] = [];
  const { baseUrl } = await aHandWrittenServer((request, response) => {
    const respond = responses[Math.min(keys.length, responses.length - 1)];
    keys.push(request.headers['idempotency-key']);
    respond?.(response);
  });
  return { baseUrl, keys };
}

const created = (response: ServerResponse) => send(response, 201, ORDER);
const cut = (response: ServerResponse) => response.socket?.destroy();
const silence = () => {};
const lateness = () => void vi.advanceTimersByTime(TIMEOUT_MS);
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    send(response, status, { code, status, detail: 'why', request_id: 'r1', title: 'x', type: 'y' }, headers);

type Respond = (response: ServerResponse) => void;
const html = (status: number) => (response: ServerResponse) => void response.writeHead(status).end('<html>');
const OF_PROXIES = [408, 425, 502, 504, 520, 521, 522, 523, 524];

describe('a write', () => {
  it.each<[string, Respond]>([
    ['a connection that breaks', cut],
    ['no response in time', lateness],
    ['429', problem(429, 'rate_limited', { 'retry-after': '0' })],
    ['503', problem(503, 'unavailable')],
    ...OF_PROXIES.map((status): [string, Respond] => [String(status), html(status)]),
  ])('is retried with its key after %s', async (_, failure) => {
    withoutJitter();
    withVirtualTimers();
    const { baseUrl, keys } = await aServerThatSends(failure, failure, created);
    const orders = createOrdersClient({ baseUrl, timeoutMs: TIMEOUT_MS });
    const placed = (await orders.place(NEW, KEY))._unsafeUnwrap();
    expect(placed).toEqual({ order: ORDER, idempotencyKey: 'k1', replayed: false });
    expect(keys).toEqual(['"k1"', '"k1"', '"k1"']);
  });

  it('has a new random key for each call', async () => {
    const { baseUrl, keys } = await aServerThatSends(created);
    const orders = createOrdersClient({ baseUrl });
    const [one, two] = [(await orders.place(NEW))._unsafeUnwrap(), (await orders.place(NEW))._unsafeUnwrap()];
    expect(keys).toEqual([`"${one.idempotencyKey}"`, `"${two.idempotencyKey}"`]);
    expect(one.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(one.idempotencyKey).not.toBe(two.idempotencyKey);
  });

  it.each<[string, Respond, string, number | null]>([
    ['a connection that breaks', cut, 'network', null],
    ['no response in time', lateness, 'timeout', null],
    ['503', problem(503, 'unavailable'), 'unavailable', 503],
    ...OF_PROXIES.map((status): [string, Respond, string, number] => [
      `${status}`,
      html(status),
      'unavailable',
      status,
    ]),
  ])('has an unknown outcome when no retry is left, after %s', async (_, failure, reason, status) => {
    withoutJitter();
    withVirtualTimers();
    const { baseUrl, keys } = await aServerThatSends(failure);
    const orders = createOrdersClient({ baseUrl, timeoutMs: TIMEOUT_MS, retries: 1 });
    const rejected = (await orders.place(NEW, KEY))._unsafeUnwrapErr();
    expect(rejected).toMatchObject({
      type: 'unreachable',
      outcome: 'unknown',
      idempotencyKey: 'k1',
      reason,
      status,
    });
    expect(keys).toHaveLength(2);
  });

  it('is not retried after 500, 400 and 409, nor without retries', async () => {
    for (const [status, code] of [
      [500, 'internal_error'],
      [400, 'malformed_json'],
      [409, 'reference_taken'],
    ] as const) {
      const { baseUrl, keys } = await aServerThatSends(problem(status, code));
      await createOrdersClient({ baseUrl }).place(NEW);
      expect(keys).toHaveLength(1);
    }
    const { baseUrl, keys } = await aServerThatSends(cut);
    await createOrdersClient({ baseUrl, retries: 0 }).place(NEW);
    expect(keys).toHaveLength(1);
  });

  it('keeps an unknown outcome when a later attempt is rejected before its key is looked up', async () => {
    withoutJitter();
    for (const last of [problem(401, 'unauthenticated'), problem(403, 'insufficient_scope'), problem(429, 'x')]) {
      const { baseUrl } = await aServerThatSends(cut, last);
      const rejected = (await createOrdersClient({ baseUrl, retries: 1 }).place(NEW, KEY))._unsafeUnwrapErr();
      expect(rejected).toMatchObject({ type: 'unreachable', outcome: 'unknown', idempotencyKey: 'k1' });
    }
    const { baseUrl } = await aServerThatSends(cut, problem(409, 'reference_taken'));
    const rejected = (await createOrdersClient({ baseUrl }).place(NEW, KEY))._unsafeUnwrapErr();
    expect(rejected.type).toBe('reference_taken');
  });

  it('is rate limited, and certainly not made, after 429 alone', async () => {
    withoutJitter();
    const { baseUrl, keys } = await aServerThatSends(problem(429, 'rate_limited', { 'retry-after': '0' }));
    const limited = { type: 'rate_limited', retry_after_ms: 0, detail: 'why', request_id: 'r1' };
    const orders = createOrdersClient({ baseUrl });
    expect((await orders.place(NEW, KEY))._unsafeUnwrapErr()).toEqual({ ...limited, ...KEY });
    expect(await orders.placeMany([{ order: NEW, ...KEY }])).toEqual([err({ ...limited, ...KEY })]);
    expect((await orders.get(ORDER.id))._unsafeUnwrapErr()).toEqual(limited);
    expect(keys).toHaveLength(9);
  });

  it('returns at once when Retry-After is longer than it waits', async () => {
    const { baseUrl, keys } = await aServerThatSends(problem(429, 'rate_limited', { 'retry-after': '61' }));
    for (const maxRetryAfterMs of [undefined, 0, 60_999]) {
      const rejected = (await createOrdersClient({ baseUrl, maxRetryAfterMs }).place(NEW))._unsafeUnwrapErr();
      expect(rejected).toMatchObject({ type: 'rate_limited', retry_after_ms: 61_000 });
    }
    expect(keys).toHaveLength(3);
  });

  it('waits until a limit of a server ends that has its defaults, as long as the client has its own', async () => {
    const { baseUrl, apiKey, clock } = await aServer({ rateLimits: {} });
    const pause = async (ms: number, signal?: AbortSignalLike) => {
      // The pauses of attempts, which their signal ends, are not those between them.
      if (signal) await new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
      else clock.advance(ms);
    };
    const timer = { now: () => performance.now(), pause, random: () => 0 };
    const orders = createOrdersClient({ baseUrl, credentials: { apiKey }, timer });
    const placed = await Promise.all(Array.from({ length: 135 }, async () => orders.place(NEW)));
    expect(placed.filter((each) => each.isErr())).toEqual([]);
  });

  it('ends at once when its signal is aborted, also while it waits', async () => {
    // Time stands still: nothing else ends the attempt or the wait.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    for (const [failure, phase] of [
      [silence, 1],
      [problem(503, 'unavailable', { 'retry-after': '30' }), 2],
    ] as const) {
      const stop = new AbortController();
      const listened = vi.spyOn(stop.signal, 'addEventListener');
      const { baseUrl, keys } = await aServerThatSends(failure);
      const placing = createOrdersClient({ baseUrl }).place(NEW, { signal: stop.signal, ...KEY });
      // An attempt listens first, and then the wait after it.
      while (keys.length === 0 || listened.mock.calls.length < phase) await setImmediate();
      stop.abort();
      const rejected = (await placing)._unsafeUnwrapErr();
      expect(rejected).toMatchObject({ reason: 'aborted', outcome: 'unknown', idempotencyKey: 'k1' });
    }
  });
});

describe('a read', () => {
  it('is retried when its body is cut, and is unreachable without a key in the end', async () => {
    withoutJitter();
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' }).write('{"id":');
      setTimeout(() => response.destroy(), 20);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const orders = createOrdersClient({ baseUrl: `http://127.0.0.1:${portOf(server)}` });
    expect((await orders.get(ORDER.id))._unsafeUnwrapErr()).toEqual({
      type: 'unreachable',
      reason: 'network',
      status: 200,
    });
    expect(requests).toBe(3);
    server.close();
  });

  it('has a time limit that includes the body', async () => {
    withVirtualTimers();
    const { baseUrl } = await aServerThatSends((response) => void response.writeHead(200).write('{'));
    const fetchHead: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      setImmediate().then(lateness, lateness);
      return response;
    };
    const orders = createOrdersClient({ baseUrl, fetch: fetchHead, timeoutMs: TIMEOUT_MS, retries: 0 });
    expect((await orders.get(ORDER.id))._unsafeUnwrapErr()).toMatchObject({ reason: 'timeout', status: 200 });
  });
});
