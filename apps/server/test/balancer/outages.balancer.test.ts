import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { AN_ORDER, type RunningServer } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** The statuses of reads and of writes with a key; 0 without a response. */
interface Statuses {
  readonly read: number[];
  readonly write: number[];
}

/** Sends several requests at a time until stopped, each of them once, whatever its outcome. */
function load(url: string, apiKey: string) {
  const statuses: Statuses = { read: [], write: [] };
  let stopped = false;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const requests = {
    read: () => fetch(`${url}/v1/orders?limit=1`, { headers }),
    write: () => {
      const keyed = { ...headers, 'idempotency-key': randomUUID() };
      return fetch(`${url}/v1/orders`, { method: 'POST', body: AN_ORDER, headers: keyed });
    },
  };
  const send = async (kind: keyof Statuses) => {
    while (!stopped) {
      const response = await requests[kind]().catch(() => undefined);
      await response?.text().catch(() => undefined);
      statuses[kind].push(response?.status ?? 0);
    }
  };
  const kinds = ['read', 'write'] as const;
  const ended = Promise.all([...kinds, ...kinds, ...kinds].map(send));
  return {
    statuses,
    /** Waits until the given number of further requests of each kind have responses. */
    more: async (count: number): Promise<void> => {
      const goals = kinds.map((kind) => statuses[kind].length + count);
      await vi.waitUntil(() => kinds.every((kind, at) => statuses[kind].length >= (goals[at] ?? 0)));
    },
    stop: async (): Promise<void> => {
      stopped = true;
      await ended;
    },
  };
}

/** Counts the orders by reading all pages of the list. */
async function countOrders({ url }: RunningServer, apiKey: string): Promise<number> {
  let count = 0;
  for (let next: string | undefined = '/v1/orders?limit=100'; next !== undefined;) {
    const response: Response = await fetch(url + next, { headers: { 'x-api-key': apiKey } });
    count += (await response.text()).match(/"version":/g)?.length ?? 0;
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return count;
}

// That no request fails while the servers are restarted is a scenario of chaos.
it('two servers behind the balancer fail no read and no write with a key while one is killed under load', async () => {
  const { apiKey: key, serve } = await aDatabase();
  const servers = [await serve(), await serve()] as const;
  const { url } = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
  const { more, stop, statuses } = load(url, key);
  await more(50);
  await servers[0].kill();
  await more(100);
  const again = await serve({ PORT: new URL(servers[0].url).port });
  await more(50);
  await stop();
  expect([new Set(statuses.read), new Set(statuses.write)]).toEqual([new Set([200]), new Set([201])]);
  expect(await countOrders(again, key)).toBe(statuses.write.length);
});
