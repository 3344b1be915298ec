import { stat } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counted, RateLimitStore } from '@orders/http-adapter';
import { describe, expect, it, vi } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { at } from '../../fixtures/json.ts';

/** The maximum time that the API waits for a store. */
const RESPONSE_MS = 100;
const COUNTED: Counted = { count: 1, resetMs: 30_000 };

/** Creates a shared store whose behaviour a test can replace. */
function aSharedStore() {
  const behaviour: { count: RateLimitStore['count'] } = { count: () => COUNTED };
  let callCount = 0;
  const count: RateLimitStore['count'] = (key, windowMs, charge) => {
    callCount += 1;
    return behaviour.count(key, windowMs, charge);
  };
  return { behaviour, store: { count }, callCount: () => callCount };
}

/** Creates an API that counts in a shared store, and collects its log. */
async function sharing(limits: Readonly<Record<string, number>> = {}) {
  const shared = aSharedStore();
  const lines: string[] = [];
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } };
  const ownerSettings = new Map([['acme', { rate_limits: { write: 7 } }]]);
  const api = await anApi({ rateLimits: { ...limits, store: shared.store }, ownerSettings, server: { logger } });
  const said = () =>
    lines.map((line): unknown => JSON.parse(line)).filter((line) => /rate-limit store/.test(String(at(line, 'msg'))));
  return { ...api, ...shared, said, send: () => api.acme.get('/v1/orders') };
}

const WAYS_TO_FAIL: readonly (readonly [string, RateLimitStore['count'], string])[] = [
  ['rejects', () => Promise.reject(new Error('connection refused')), 'connection refused'],
  [
    'throws',
    () => {
      throw new Error('not connected');
    },
    'not connected',
  ],
  ['never responds', () => new Promise(() => undefined), 'no response within 100 ms'],
];

describe('a shared store', () => {
  it('determines the remaining requests, and is called once per request', async () => {
    const { acme, send, callCount, behaviour, said } = await sharing({ read: 5 });
    const keys: unknown[] = [];
    behaviour.count = (...counted) => {
      keys.push(counted);
      return Promise.resolve({ count: 4, resetMs: 12_001 });
    };
    expect((await send()).headers['ratelimit']).toBe('"read";r=1;t=13');
    await acme.post('/v1/orders', {});
    expect(keys).toEqual([
      ['read:acme', 60_000, { cost: 1, quota: 5 }],
      ['write:acme', 60_000, { cost: 1, quota: 7 }],
    ]);
    behaviour.count = () => ({ count: 6, resetMs: 0 });
    expect((await send()).headers).toMatchObject({ ratelimit: '"read";r=0;t=1', 'retry-after': '1' });
    expect(callCount()).toBe(3);
    expect(said()).toEqual([]);
  });
});

describe.each(WAYS_TO_FAIL)('while the shared store %s', (_, fail, reason) => {
  it('requests are counted in memory and served', async () => {
    const { send, behaviour } = await sharing({ read: 2 });
    behaviour.count = fail;
    const responses = [await send(), await send(), await send()];
    expect(responses.map(({ status, headers }) => [status, headers['ratelimit']])).toEqual([
      [200, '"read";r=1;t=60'],
      [200, '"read";r=0;t=60'],
      [429, '"read";r=0;t=60'],
    ]);
  });

  it('one request per second calls it, and the others do not', async () => {
    const { send, callCount, behaviour, clock } = await sharing();
    behaviour.count = fail;
    await send();
    for (let second = 1; second <= 3; second += 1) {
      clock.advance(999);
      await Promise.all([send(), send(), send()]);
      expect(callCount()).toBe(second);
      clock.advance(1);
      await Promise.all([send(), send(), send()]);
      expect(callCount()).toBe(second + 1);
    }
  });

  it('the log has one line with the reason, and one with the number of requests after recovery', async () => {
    const { send, behaviour, clock, said } = await sharing();
    const { count } = behaviour;
    behaviour.count = fail;
    await Promise.all([send(), send()]);
    clock.advance(1000);
    await Promise.all([send(), send(), send()]);
    const warning = { level: 40, err: { message: reason } };
    expect(said()).toMatchObject([warning]);
    behaviour.count = count;
    clock.advance(1000);
    expect((await send()).headers['ratelimit']).toBe('"read";r=599;t=30');
    expect(said()).toMatchObject([warning, { level: 30, passedOver: 5 }]);
    expect((await send()).headers['ratelimit']).toBe('"read";r=599;t=30');
    expect(said()).toHaveLength(2);
    behaviour.count = fail;
    await send();
    expect(said()).toHaveLength(3);
  });
});

describe('a slow store', () => {
  it('causes no error when it responds, or fails, later', async () => {
    const { send, behaviour, said } = await sharing({ read: 600 });
    const settled: (() => void)[] = [];
    behaviour.count = () =>
      new Promise((resolve, reject) => {
        settled.push(settled.length === 0 ? () => resolve(COUNTED) : () => reject(new Error('connection lost')));
      });
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    await Promise.all([send(), send()]);
    for (const settle of settled) settle();
    await sleep(0);
    process.off('unhandledRejection', note);
    expect(settled).toHaveLength(2);
    expect(unhandled).toEqual([]);
    expect((await send()).headers['ratelimit']).toBe('"read";r=597;t=60');
    expect(said()).toHaveLength(1);
  });

  it('does not count as recovered when it responds to a call from before its failure', async () => {
    const { send, callCount, behaviour, said } = await sharing();
    const { promise, resolve } = Promise.withResolvers<Counted>();
    behaviour.count = () => promise;
    const early = send();
    await vi.waitFor(() => expect(callCount()).toBe(1));
    behaviour.count = () => Promise.reject(new Error('connection lost'));
    await send();
    resolve(COUNTED);
    expect((await early).headers['ratelimit']).toBe('"read";r=599;t=30');
    await send();
    expect(callCount()).toBe(2);
    expect(said()).toHaveLength(1);
  });

  it('is not late if it responded while this process was busy', async () => {
    const { send, behaviour, said } = await sharing();
    behaviour.count = () =>
      new Promise((resolve) => {
        setImmediate(() => {
          stat(import.meta.filename, () => resolve(COUNTED));
          const until = performance.now() + 2 * RESPONSE_MS;
          while (performance.now() < until);
        });
      });
    expect((await send()).headers['ratelimit']).toBe('"read";r=599;t=30');
    expect(said()).toEqual([]);
  });
});

describe('a store whose calls are paused', () => {
  it('is called again immediately if the clock was set back', async () => {
    const { send, callCount, behaviour, clock } = await sharing();
    const { count } = behaviour;
    behaviour.count = () => Promise.reject(new Error('connection lost'));
    await send();
    behaviour.count = count;
    clock.advance(-3_600_000);
    expect((await send()).headers['ratelimit']).toBe('"read";r=599;t=30');
    expect(callCount()).toBe(2);
  });
});
