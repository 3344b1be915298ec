import { setImmediate } from 'node:timers/promises';
import { apiKeys, authenticateBy, newApiKey, type StoredApiKey } from '@orders/http-adapter';
import { ok, ResultAsync } from 'neverthrow';
import { fixedClock } from '@orders/domain/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../../fixtures/in-memory-api-keys.ts';

const VICTIM = '192.0.2.1';
const FLOODING = '203.0.113.1';
/** More turns of the event loop than all requests of a test need. */
const TURNS_MAX = 100_000;

/** Creates an API whose key store responds on demand, and in which an address may fail once per minute. */
async function anApiWithSlowKeys() {
  const keys = inMemoryApiKeys();
  let held: (() => void)[] = [];
  let isSlow = false;
  let underWay = 0;
  let most = 0;
  const release = () => {
    const released = held;
    held = [];
    for (const each of released) each();
  };
  const find = (hash: string): ReturnType<typeof keys.find> => {
    const look = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
      underWay -= 1;
      return await keys.find(hash);
    };
    return new ResultAsync<StoredApiKey | null, never>(look().then((found) => ok(found._unsafeUnwrap())));
  };
  const clock = fixedClock();
  const authentication = authenticateBy(apiKeys({ find }, () => clock.now()));
  let begun = 0;
  const api = await anApi({
    authentication: {
      ...authentication,
      authenticate: (...request) => {
        begun += 1;
        return authentication.authenticate(...request);
      },
    },
    now: () => clock.now(),
    rateLimits: { anonymous: 1, read: 0, write: 0, public: 0 },
    server: { trustProxy: true },
  });
  const send = async (key: string, address: string) => {
    const response = await api.app.inject({
      url: '/v1/orders',
      headers: { 'x-api-key': key, 'x-forwarded-for': address },
    });
    return { status: response.statusCode, headers: response.headers };
  };
  const statuses = async (sent: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(sent)).map(({ status }) => status);
  onTestFinished(release);
  return {
    clock,
    keys,
    /** Waits until `count` requests are authenticated or queued. */
    haveBegun: async (count: number) => {
      for (let turn = 0; begun < count && turn < TURNS_MAX; turn += 1) await setImmediate();
      expect(begun).toBeGreaterThanOrEqual(count);
    },
    send,
    statuses,
    release,
    /** Sends `count` concurrent requests with unknown keys. */
    flood: (count: number, address = FLOODING) => Array.from({ length: count }, () => send(newApiKey().key, address)),
    beSlow: (slow: boolean) => (isSlow = slow),
    underWay: () => underWay,
    most: () => most,
  };
}

// Only the queue uses timers in this test.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates such an API, in which the flooding address has no failures left. */
async function anExhaustedApi() {
  const api = await anApiWithSlowKeys();
  expect(await api.statuses(api.flood(1))).toEqual([401]);
  return api;
}

describe('lookups of unknown keys for an address without failures left', () => {
  it('run two at a time, and are rejected with 429 if they find nothing', async () => {
    const { beSlow, flood, haveBegun, most, release, statuses } = await anExhaustedApi();
    beSlow(true);
    const sent = statuses(flood(20));
    await haveBegun(21);
    beSlow(false);
    release();
    expect(await sent).toEqual(Array.from({ length: 20 }, () => 429));
    expect(most()).toBe(2);
  });

  it('are skipped after a quarter of a second in the queue', async () => {
    const { beSlow, flood, haveBegun, most, underWay } = await anExhaustedApi();
    beSlow(true);
    const [, , ...waiting] = flood(20);
    await haveBegun(21);
    let isOver = false;
    const rejected = Promise.all(waiting).finally(() => (isOver = true));
    vi.advanceTimersByTime(249);
    for (let n = 0; n < 20; n += 1) await setImmediate();
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    for (const { status, headers } of await rejected) {
      expect([status, headers['ratelimit'], headers['retry-after']]).toEqual([429, '"anonymous";r=0;t=60', '60']);
    }
    expect([underWay(), most()]).toEqual([2, 2]);
  });

  it('have a response for a valid key', async () => {
    const { send, beSlow, flood, haveBegun, keys, release, statuses } = await anExhaustedApi();
    beSlow(true);
    const flooding = statuses(flood(50));
    const valid = send(keys.issue(), FLOODING);
    await haveBegun(52);
    beSlow(false);
    release();
    expect((await valid).status).toBe(200);
    expect(await flooding).toEqual(Array.from({ length: 50 }, () => 429));
  });

  it('do not delay a cached key', async () => {
    const { send, beSlow, clock, flood, haveBegun, keys, release, statuses } = await anApiWithSlowKeys();
    const key = keys.issue();
    expect((await send(key, FLOODING)).status).toBe(200);
    expect(await statuses(flood(1))).toEqual([401]);
    clock.advance(30_000);
    beSlow(true);
    const flooding = flood(200);
    await haveBegun(202);
    beSlow(false);
    expect((await send(key, FLOODING)).status).toBe(200);
    release();
    await Promise.all(flooding);
  });

  it('do not delay an address with failures left', async () => {
    const { send, beSlow, flood, haveBegun, keys, release } = await anExhaustedApi();
    beSlow(true);
    const flooding = flood(200);
    await haveBegun(201);
    beSlow(false);
    expect((await send(keys.issue(), VICTIM)).status).toBe(200);
    expect((await send(newApiKey().key, VICTIM)).status).toBe(401);
    release();
    await Promise.all(flooding);
  });
});

describe('lookups without a rate limit for unauthenticated requests', () => {
  it('are not queued', async () => {
    const { client, keys } = await anApi({ rateLimits: { anonymous: 0 } });
    const sent = Array.from({ length: 150 }, () => client(newApiKey().key).get('/v1/orders'));
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([401]));
    expect((await client(keys.issue()).get('/v1/orders')).status).toBe(200);
  });
});
