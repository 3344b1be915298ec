import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Order } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { loadShedding } from '../../src/admission/load-shedding.ts';
import { UNOBSERVED } from '../../src/observer.ts';
import { aDomainOver } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { head, portOf } from '../fixtures/raw-http.ts';

const aResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

/** Creates a store that delays lookups of an order until a test releases them, and counts them. */
function aSlowStore() {
  const order = anOrder();
  const waiting: ((found: Order) => void)[] = [];
  const load = () =>
    new ResultAsync(new Promise<Order>((resolve) => waiting.push(resolve)).then((aggregate) => ok({ aggregate })));
  return {
    ...aDomainOver({ load }),
    url: `/v1/orders/${order.id}`,
    waitingCount: () => waiting.length,
    release: () => {
      for (const resolve of waiting.splice(0)) resolve(order);
    },
  };
}

describe('an overloaded server', () => {
  it('rejects requests above its concurrency limit, and accepts more after some responses', async () => {
    const { url, waitingCount, release, domain } = aSlowStore();
    const { acme } = await anApi({ domain, concurrencyMax: 4 });
    const two = [acme.get(url), acme.get(url)];
    await vi.waitFor(() => expect(waitingCount()).toBe(2));
    for (let time = 0; time < 3; time += 1) {
      const refused = await acme.get(url);
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' }, headers: { 'retry-after': '1' } });
    }
    release();
    for (const { status } of await Promise.all(two)) expect(status).toBe(200);
    const next = acme.get(url);
    await vi.waitFor(() => expect(waitingCount()).toBe(1));
    release();
    expect((await next).status).toBe(200);
  });

  it('frees the places of clients that disconnect before the response', async () => {
    const { url, waitingCount, release, domain } = aSlowStore();
    const { acme, app, keys } = await anApi({ domain, concurrencyMax: 4 });
    const port = await portOf(app);
    const key = keys.issue();
    const left = [1, 2].map(() => {
      const socket = connect(port, '127.0.0.1');
      socket.write(head(`GET ${url} HTTP/1.1`, { 'X-API-Key': key }));
      return socket;
    });
    await vi.waitFor(() => expect(waitingCount()).toBe(2));
    expect((await acme.get(url)).status).toBe(503);
    for (const socket of left) socket.destroy();
    const next = await vi.waitFor(async () => {
      const pending = acme.get(url);
      // It is rejected as long as those that have left count.
      expect(await Promise.race([pending, vi.waitUntil(() => waitingCount() === 3)])).toBe(true);
      return { pending };
    });
    release();
    expect((await next.pending).status).toBe(200);
  });

  it('rejects those that used most of its time, then all others, and never health checks', async () => {
    let overloaded = false;
    const { client, keys } = await anApi({ isOverloaded: () => overloaded });
    const [busy, other] = [client(keys.issue({ owner: 'busy' })), client(keys.issue({ owner: 'other' }))];
    await busy.place();
    const payload = JSON.stringify({ items: Array(100).fill({}) });
    const headers = { 'content-type': 'application/json' };
    // Until it has used a noticeable share of the event loop.
    await vi.waitFor(async () => {
      overloaded = false;
      for (let n = 0; n < 20; n += 1) await busy.send({ method: 'POST', url: '/v1/orders', headers, payload });
      overloaded = true;
      expect(await busy.get('/v1/orders')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    });
    expect((await other.get('/v1/orders')).status).toBe(200);
    const statusesOf = (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await client().get(path)).status));
    expect(await statusesOf('/livez', '/readyz', '/openapi.json')).toEqual([200, 200, 200]);
    await vi.waitFor(async () => expect((await other.get('/v1/orders')).status).toBe(503));
    expect(await statusesOf('/livez', '/readyz', '/openapi.json')).toEqual([200, 200, 503]);
    overloaded = false;
    expect((await busy.get('/v1/orders')).status).toBe(200);
  });
});

describe('the rejection of load', () => {
  /** Sheds load of a server that is overloaded, on a clock that stands still. */
  function anOverload() {
    let [at, shed] = [0, 0];
    const busiest: number[] = [];
    const shedding = loadShedding(
      {
        isOverloaded: () => true,
        observer: { ...UNOBSERVED, loadShed: () => (shed += 1), busiestOwner: (ms) => busiest.push(ms) },
      },
      () => at,
    );
    const pass = (ms: number) => void (at += ms);
    const use = (key: string, ms: number) => {
      const began = shedding.loopTime.begin();
      pass(ms);
      shedding.loopTime.charge(key, began);
    };
    const rejected = (...keys: readonly string[]) =>
      keys.filter((key) => shedding.admitKey(key, aResponse()) !== undefined);
    return { pass, use, rejected, turn: shedding.loopTime.turn, shed: () => shed, busiest };
  }

  it('begins with those that used at least half as much as the first, then takes all that used much', () => {
    const { pass, use, rejected, shed } = anOverload();
    use('first', 1000);
    use('second', 600);
    use('third', 400);
    use('small', 90);
    const all = ['first', 'second', 'third', 'small', 'new'];
    expect(rejected(...all)).toEqual(['first', 'second']);
    pass(999);
    expect(rejected(...all)).toEqual(['first', 'second']);
    pass(1);
    expect(rejected(...all)).toEqual(['first', 'second', 'third']);
    expect(shed()).toBe(7);
  });

  it('spares at first all that used little, also the first of them', () => {
    const { use, rejected } = anOverload();
    use('first', 99);
    expect(rejected('first')).toEqual([]);
  });

  it('does not count what was used long ago', () => {
    const { pass, use, rejected, busiest } = anOverload();
    use('early', 1000);
    pass(4000);
    use('late', 500);
    expect(rejected('early', 'late')).toEqual(['early', 'late']);
    expect(busiest).toEqual([1000]);
    pass(5000);
    expect(rejected('early', 'late')).toEqual(['late']);
    pass(10_000);
    expect(rejected('early', 'late')).toEqual([]);
    expect(busiest).toEqual([1000, 500, 0]);
  });

  it('charges all further keys together once there are very many', () => {
    const { use, rejected } = anOverload();
    for (let n = 0; n < 20_000; n += 1) use(`${n}`, 0.001);
    for (let n = 0; n < 200; n += 1) use(`further ${n}`, 1);
    expect(rejected('0', 'further 1', 'further 999')).toEqual(['further 1', 'further 999']);
  });

  it('lets the requests of a key run between those of others while they are dear on average', async () => {
    const { pass, use, turn } = anOverload();
    const request = (key: string, ms: number) => {
      const waits = turn(key);
      use(key, ms);
      return waits;
    };
    for (let n = 0; n < 99; n += 1) void request('other', 1);
    expect(request('other', 90)).toBeUndefined();
    expect(turn('other')).toBeUndefined();
    expect(request('busy', 10)).toBeUndefined();
    const order: string[] = [];
    const run = (name: string) => void order.push(name);
    const last = [turn('busy')?.then(() => run('busy 1')), turn('busy')?.then(() => run('busy 2'))].at(-1);
    setImmediate(() => run('other'));
    await last;
    expect(order).toEqual(['busy 1', 'other', 'busy 2']);
    pass(5000);
    expect(request('busy', 1)).toBeDefined();
    expect(turn('busy')).toBeUndefined();
  });

  it('takes everyone after two seconds, and begins again with the next overload', () => {
    let [at, overloaded] = [0, true];
    const { admitKey } = loadShedding({ isOverloaded: () => overloaded }, () => at);
    const isAdmitted = (time: number) => {
      at = time;
      return admitKey('any', aResponse()) === undefined;
    };
    expect([0, 1999, 2000].map(isAdmitted)).toEqual([true, true, false]);
    overloaded = false;
    expect(isAdmitted(2001)).toBe(true);
    overloaded = true;
    expect([2002, 4001, 4002].map(isAdmitted)).toEqual([true, true, false]);
    // No request came meanwhile, so the server may have recovered.
    expect(isAdmitted(60_000)).toBe(true);
  });
});
