import { createOrdersClient, type OrdersClient } from '@orders/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { take, TEA } from '../doors/doors.ts';

/** A quarter of a second past a full one, which `Retry-After` cannot express. */
const NOW = '2026-01-02T03:04:05.250Z';
const EVENT = { position: 1, type: 'order.placed' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: new Date(NOW) });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const problem = (status: number, retryAfter?: string) => () =>
  Response.json({}, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });
const created = () => Response.json({ id: 'an order', version: 1 }, { status: 201 });
const cut = () => {
  throw new TypeError('fetch failed');
};
const events = (cursor: string, data: readonly object[] = []) =>
  Response.json({ data, page: { next_cursor: cursor, caught_up: true } });

/**
 * Runs `use` on a client whose requests get one response after the other, the last one from then on. Returns the pause
 * before each request but the first, in milliseconds.
 */
async function pausesOf(
  use: (orders: OrdersClient) => Promise<unknown>,
  responses: readonly (() => Response)[],
): Promise<readonly number[]> {
  const times: number[] = [];
  const respond = () => {
    times.push(performance.now());
    const next = responses[Math.min(times.length, responses.length) - 1];
    return Promise.resolve(next?.() ?? Response.error());
  };
  const used = use(createOrdersClient({ baseUrl: 'http://orders.test', retries: 10, fetch: () => respond() }));
  await vi.runAllTimersAsync();
  await used;
  return times.slice(1).map((time, at) => time - (times[at] ?? 0));
}

describe('the pauses before retries', () => {
  const place = async (orders: OrdersClient) => orders.place({ items: [TEA] });

  it('are a random part of a quarter of a second, which doubles up to eight seconds', async () => {
    const all = [125, 250, 500, 1000, 2000, 4000, 4000, 4000, 4000, 4000];
    expect(await pausesOf(place, [problem(503)])).toEqual(all);
    expect(await pausesOf(place, [cut])).toEqual(all);
  });

  it.each([
    ['1', 1000],
    ['60', 60_000],
    ['Fri, 02 Jan 2026 03:04:07 GMT', 1750],
    ['Fri, 02 Jan 2026 03:04:05 GMT', 0],
    ['soon', 0],
    ['2026-01-02T03:04:07Z', 0],
  ])('begin with that of Retry-After, in seconds or until a date: %s', async (retryAfter, ms) => {
    expect(await pausesOf(place, [problem(429, retryAfter), problem(503, retryAfter), created])).toEqual([
      ms + 125,
      // The second pause begins where the date has come.
      (retryAfter.endsWith('GMT') ? 0 : ms) + 250,
    ]);
  });
});

describe('the pauses of a follower', () => {
  it('are doubled while the server fails, up to a bound, and are short again after a page', async () => {
    const follow = (orders: OrdersClient) => take(orders.events.follow(), 2);
    const failures = [cut, problem(503), problem(500), cut, cut, cut, cut];
    const pauses = [125, 250, 500, 1000, 2000, 4000, 4000];
    const news = [() => events('1', [EVENT]), () => events('2', [EVENT])] as const;
    expect(await pausesOf(follow, [...failures, news[0], ...failures, news[1]])).toEqual([...pauses, 0, ...pauses]);
  });

  it('are at least as long as Retry-After, whatever that is', async () => {
    const follow = (orders: OrdersClient) => take(orders.events.follow(), 1);
    expect(await pausesOf(follow, [problem(429, '120'), () => events('1', [EVENT])])).toEqual([120_125]);
  });

  it('are doubled while the server ends waits at once', async () => {
    const follow = (orders: OrdersClient) => take(orders.events.follow({ after: '1' }), 1);
    const nothing = () => events('1');
    expect(await pausesOf(follow, [nothing, nothing, nothing, () => events('2', [EVENT])])).toEqual([250, 500, 1000]);
  });
});
