import { createOrdersClient } from '@orders/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { take, TEA } from '../doors/doors.ts';
import { aServer } from '../servers/a-server.ts';
import { aCuttingProxy } from './a-cutting-proxy.ts';

const COUNT = 10_000;
const AT_A_TIME = 16;
/** It takes some twenty seconds, and several times as long beside other tests. */
const TIMEOUT_MS = 600_000;

/** Without keeping connections, so that the proxy decides for each request. */
const fetchByNewConnection: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return fetch(input, { ...init, headers });
};

it(
  'placements behind a proxy that cuts 20 % of the connections give exactly 10,000 orders',
  async () => {
    // Without pauses between retries.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const { baseUrl, apiKey, store } = await aServer();
    const proxy = await aCuttingProxy(baseUrl);
    const credentials = { apiKey };
    const orders = createOrdersClient({ baseUrl: proxy.baseUrl, credentials, retries: 1, fetch: fetchByNewConnection });
    const ids = new Set<string>();
    let [left, unreachable] = [COUNT, 0];
    const place = async () => {
      while (left > 0) {
        left -= 1;
        let placed = await orders.place({ items: [TEA] });
        while (placed.isErr()) {
          if (placed.error.type !== 'unreachable') throw new Error(placed.error.type);
          unreachable += 1;
          placed = await orders.place({ items: [TEA] }, { idempotencyKey: placed.error.idempotencyKey });
        }
        ids.add(placed.value.order.id);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, place));
    const kept = await take(createOrdersClient({ baseUrl, credentials }).list({ limit: 100 }));
    expect([kept.length, ids.size, store.events().length]).toEqual([COUNT, COUNT, COUNT]);
    expect(unreachable).toBeGreaterThan(0);
    expect(proxy.cuts.before).toBeGreaterThan(COUNT / 20);
    expect(proxy.cuts.after).toBeGreaterThan(COUNT / 20);
  },
  TIMEOUT_MS,
);
