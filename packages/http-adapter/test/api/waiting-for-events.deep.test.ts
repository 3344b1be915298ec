import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import type { EventFeed } from '@orders/domain/events';
import { inMemoryStore } from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { eventWaiters, WAITERS_MAX } from '../../src/api/event-waiters.ts';
import { aCountingObserver } from '../fixtures/a-counting-observer.ts';
import { aDomain } from '../fixtures/a-domain.ts';
import { anApi, type Wanted } from '../fixtures/an-api.ts';
import { at, listAt, textAt } from '../fixtures/json.ts';
import { portOf } from '../fixtures/raw-http.ts';

const FOLLOW = '/v1/events?start=latest&wait=20';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Starts a server, and returns what its clients and its operator see. */
async function aListeningApi(wanted: Wanted = {}) {
  const observer = aCountingObserver();
  const api = await anApi({ observer, ...wanted });
  const port = await portOf(api.app);
  const key = api.keys.issue();
  const get = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${url}`, { ...init, headers: { 'x-api-key': key } });
    const body: unknown = await response.json();
    return { status: response.status, headers: response.headers, body };
  };
  const waiting = (count: number) => vi.waitFor(() => expect(observer.eventWaiters).toHaveBeenLastCalledWith(count));
  return { ...api, observer, get, waiting };
}

/** Returns a feed whose waits last longer than the test, unless something ends them. */
function withoutTimeLimit(feed: EventFeed): EventFeed {
  return {
    ...feed,
    wait: (owner, position, options) => feed.wait(owner, position, { ...options, timeoutMs: DAY_MS }),
  };
}

/** Starts a server whose waits for events end only because of something. */
async function aPatientApi() {
  const store = inMemoryStore();
  return await aListeningApi({ domain: aDomain(undefined, store), feed: withoutTimeLimit(store.feed) });
}

describe('a request that waits for events', () => {
  it('gets the event of a write at once', async () => {
    const { get, waiting, acme } = await aPatientApi();
    const pending = get(FOLLOW);
    await waiting(1);
    const { id } = await acme.place();
    const { status, headers, body } = await pending;
    expect({ status, caching: headers.get('cache-control') }).toEqual({ status: 200, caching: 'no-store' });
    expect(listAt(body, 'data').map((event) => at(event, 'resource', 'id'))).toEqual([id]);
    await waiting(0);
  });

  it('gets an empty page with its cursor when its time has ended, beyond the limit of other requests', async () => {
    const { get } = await aListeningApi({ timeLimitMs: 100 });
    const cursor = textAt((await get('/v1/events')).body, 'page', 'next_cursor');
    const begun = performance.now();
    expect((await get(`/v1/events?after=${cursor}&wait=1`)).body).toEqual({
      data: [],
      page: { limit: 20, next_cursor: cursor, caught_up: true },
    });
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it('waits on after an event of another type', async () => {
    const { get, waiting, acme } = await aListeningApi();
    const pending = get(`${FOLLOW}&types=order.cancelled`);
    await waiting(1);
    const { url } = await acme.place();
    await acme.patch(url, { status: 'paid' });
    await acme.post(`${url}/cancel`);
    const { body } = await pending;
    expect(listAt(body, 'data').map((event) => at(event, 'type'))).toEqual(['order.cancelled']);
  });

  it('reads the feed only a few times when many events of other types follow', async () => {
    const store = inMemoryStore();
    const read = vi.fn<EventFeed['read']>((owner, query) => store.feed.read(owner, query));
    // Every wait ends with an event that is not requested.
    const wait: EventFeed['wait'] = async () => {
      await acme.place();
    };
    const { get, acme } = await aListeningApi({ domain: aDomain(undefined, store), feed: { read, wait } });
    expect((await get(`${FOLLOW}&types=order.deleted`)).body).toMatchObject({ data: [], page: { caught_up: true } });
    expect(read).toHaveBeenCalledTimes(10);
  });

  it('ends at once when the server stops, with the events so far', async () => {
    const { get, waiting, app } = await aPatientApi();
    const pending = get(FOLLOW);
    await waiting(1);
    await Promise.all([app.close(), pending]);
    expect(await pending).toMatchObject({ status: 200, body: { data: [], page: { caught_up: true } } });
  });

  it('does not wait if the server began to stop while it was reading', async () => {
    const store = inMemoryStore();
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const read: EventFeed['read'] = (owner, query) => {
      begun.resolve();
      return new ResultAsync(held.promise.then(() => store.feed.read(owner, query)));
    };
    const { get, app } = await aListeningApi({
      domain: aDomain(undefined, store),
      feed: { ...withoutTimeLimit(store.feed), read },
    });
    const pending = get(FOLLOW);
    await begun.promise;
    const closed = app.close();
    // Waits end before the server stops to listen.
    await vi.waitFor(() => expect(app.server.listening).toBe(false));
    held.resolve();
    await Promise.all([closed, pending]);
    expect(await pending).toMatchObject({ status: 200, body: { data: [], page: { caught_up: true } } });
  });

  it('does not begin when its client disconnects during the read before it', async () => {
    const store = inMemoryStore();
    const [reading, disconnected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read: EventFeed['read'] = (owner, query) => {
      reading.resolve();
      return new ResultAsync(disconnected.promise.then(() => store.feed.read(owner, query)));
    };
    const wait = vi.fn<EventFeed['wait']>((...args) => store.feed.wait(...args));
    const { app, keys, observer, get } = await aListeningApi({ feed: { read, wait } });
    const socket = connect(await portOf(app), '127.0.0.1');
    const closed = new Promise((resolve) => app.server.on('connection', (accepted) => accepted.once('close', resolve)));
    socket.write(`GET ${FOLLOW} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys.issue()}\r\n\r\n`);
    await reading.promise;
    socket.destroy();
    await closed;
    disconnected.resolve();
    // A request that is sent later has its response, so the other one would wait.
    expect((await get('/v1/events')).status).toBe(200);
    expect(wait).not.toHaveBeenCalled();
    expect(observer.eventWaiters).not.toHaveBeenCalled();
  });

  it('ends when its client disconnects, and reads no more, also behind earlier requests of the connection', async () => {
    const store = inMemoryStore();
    const read = vi.fn<EventFeed['read']>((owner, query) => store.feed.read(owner, query));
    const { app, keys, waiting } = await aListeningApi({ feed: { ...store.feed, read } });
    const socket = connect(await portOf(app), '127.0.0.1');
    socket.write(`GET ${FOLLOW} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys.issue()}\r\n\r\n`.repeat(3));
    await waiting(3);
    socket.destroy();
    await waiting(0);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('is the fifth of its owner only if it need not wait', async () => {
    const { get, waiting, client, keys, acme } = await aListeningApi();
    const pending = [1, 2, 3, 4].map(() => get(FOLLOW));
    await waiting(4);
    const refused = await get('/v1/events?wait=1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_waiters' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await get('/v1/events')).status).toBe(200);
    // Other owners may wait.
    const other = client(keys.issue({ owner: 'other' })).get(FOLLOW);
    await waiting(5);
    await acme.place();
    for (const { status, body } of await Promise.all(pending)) {
      expect({ status, count: listAt(body, 'data').length }).toEqual({ status: 200, count: 1 });
    }
    expect((await get('/v1/events?wait=20')).status).toBe(200);
    await waiting(1);
    await client(keys.issue({ owner: 'other' })).place();
    expect((await other).status).toBe(200);
  });

  it('does not count as a request in progress', async () => {
    const { get, waiting, acme } = await aListeningApi({ concurrencyMax: 1 });
    const pending = [get(FOLLOW)];
    await waiting(1);
    pending.push(get(FOLLOW));
    await waiting(2);
    expect((await get('/v1/orders')).status).toBe(200);
    await acme.place();
    for (const { status } of await Promise.all(pending)) expect(status).toBe(200);
    expect((await get('/v1/orders')).status).toBe(200);
  });
});

describe('a server with the maximum number of waiting requests', () => {
  it('lets no further request wait', () => {
    const waiters = eventWaiters(() => () => undefined, aCountingObserver());
    const enter = (owner: string) => waiters.enter(owner, new ServerResponse(new IncomingMessage(new Socket())));
    for (let count = 0; count < WAITERS_MAX; count += 1) expect(enter(`owner-${count}`)).toHaveProperty('signal');
    expect(enter('another')).toBe('full');
  });
});
