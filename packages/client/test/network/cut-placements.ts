import { createOrdersClient } from '@orders/client';
import { aCuttingProxy, type CuttingProxy } from './a-cutting-proxy.ts';
import { aServer } from '../servers/a-server.ts';
import { take, TEA } from '../doors/doors.ts';

/** What became of placements through a proxy that cuts 20 % of the connections. */
export interface Placements {
  /** Number of orders that the server has. */
  readonly orders: number;
  /** Number of different orders that were returned to the client. */
  readonly returned: number;
  /** Number of placements that ended as `unreachable`, and were repeated with their key. */
  readonly unreachable: number;
  readonly cuts: CuttingProxy['cuts'];
}

const RATE = 0.2;
const AT_A_TIME = 16;

/** Places orders by the client, and repeats each `unreachable` one with its key until it succeeds. */
export async function placeByClient(count: number): Promise<Placements> {
  const { baseUrl, apiKey, store } = await aServer();
  const proxy = await aCuttingProxy(baseUrl, RATE);
  const credentials = { apiKey };
  const orders = createOrdersClient({ baseUrl: proxy.baseUrl, credentials, retries: 1, fetch: fetchByNewConnection });
  const ids = new Set<string>();
  let unreachable = 0;
  await repeat(count, async () => {
    let placed = await orders.place({ items: [TEA] });
    while (placed.isErr()) {
      if (placed.error.type !== 'unreachable') throw new Error(placed.error.type);
      unreachable += 1;
      placed = await orders.place({ items: [TEA] }, { idempotencyKey: placed.error.idempotencyKey });
    }
    ids.add(placed.value.order.id);
  });
  const direct = createOrdersClient({ baseUrl, credentials });
  const kept = await take(direct.list({ limit: 100 }));
  if (kept.length !== store.events().length) throw new Error('an order is missing in the feed');
  return { orders: kept.length, returned: ids.size, unreachable, cuts: proxy.cuts };
}

/** Places orders as a program without keys does: it repeats the request when `fetch` fails. */
export async function placeNaively(count: number): Promise<Placements> {
  const { baseUrl, apiKey, store } = await aServer();
  const proxy = await aCuttingProxy(baseUrl, RATE);
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ items: [TEA] }),
  };
  const place = () =>
    fetchByNewConnection(`${proxy.baseUrl}/v1/orders`, request).then(
      (response) => response.text(),
      () => undefined,
    );
  let returned = 0;
  await repeat(count, async () => {
    while ((await place()) === undefined);
    returned += 1;
  });
  return { orders: store.events().length, returned, unreachable: 0, cuts: proxy.cuts };
}

/** Without keeping connections, so that the proxy makes a new decision for each request. */
const fetchByNewConnection: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return fetch(input, { ...init, headers });
};

/** Runs a task `count` times, some at a time. */
async function repeat(count: number, task: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await task();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
