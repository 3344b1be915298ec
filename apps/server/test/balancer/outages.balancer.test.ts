import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { AN_ORDER, type RunningServer } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** The outcome of a request; status 0 without a response. */
interface Outcome {
  readonly what: 'read' | 'keyed write' | 'write';
  readonly status: number;
  readonly body: string;
}

/** Sends several requests at a time until stopped, each of them once, whatever its outcome. */
function load(url: string, apiKey: string, kinds: readonly Outcome['what'][]) {
  const outcomes: Outcome[] = [];
  let stopped = false;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const place = { method: 'POST', body: AN_ORDER };
  const requests: Readonly<Record<Outcome['what'], () => Promise<Response>>> = {
    read: () => fetch(`${url}/v1/orders?limit=1`, { headers }),
    'keyed write': () =>
      fetch(`${url}/v1/orders`, { ...place, headers: { ...headers, 'idempotency-key': randomUUID() } }),
    write: () => fetch(`${url}/v1/orders`, { ...place, headers }),
  };
  const sendTo = async (what: Outcome['what']) => {
    while (!stopped) {
      try {
        const response = await requests[what]();
        outcomes.push({ what, status: response.status, body: await response.text() });
      } catch (error) {
        outcomes.push({ what, status: 0, body: String(error) });
      }
    }
  };
  const ended = Promise.all([...kinds, ...kinds, ...kinds].map(sendTo));
  return {
    outcomes,
    /** Waits until the given number of further requests of each kind have responses. */
    more: async (count: number): Promise<void> => {
      const numberOf = (kind: Outcome['what']) => outcomes.filter(({ what }) => what === kind).length;
      const goals = kinds.map((kind) => [kind, numberOf(kind) + count] as const);
      const reached = () => expect(goals.filter(([kind, goal]) => numberOf(kind) < goal)).toEqual([]);
      await vi.waitFor(reached);
    },
    stop: async (): Promise<readonly Outcome[]> => {
      stopped = true;
      await ended;
      return outcomes;
    },
  };
}

const failed = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ what, status }) => status !== (what === 'read' ? 200 : 201));

/** Counts the orders by reading all pages of the list. */
async function countOrders({ url }: RunningServer, apiKey: string): Promise<number> {
  let count = 0;
  let next: string | undefined = '/v1/orders?limit=100';
  while (next !== undefined) {
    const response: Response = await fetch(url + next, { headers: { 'x-api-key': apiKey } });
    const body: unknown = await response.json();
    const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
    count += Array.isArray(data) ? data.length : 0;
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return count;
}

const portOf = (server: RunningServer) => new URL(server.url).port;

/** The drain time of the servers in compose.yaml, longer than the balancer needs to detect a stop. */
const DELAYED = { SHUTDOWN_DELAY_MS: '3000' };

describe('two servers behind the balancer', () => {
  it('fail no request while one after the other is restarted under load, and create every order once', async () => {
    const { apiKey: key, serve } = await aDatabase();
    const servers = [await serve(DELAYED), await serve(DELAYED)] as const;
    const { url, output } = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
    const { more, stop, outcomes } = load(url, key, ['read', 'keyed write', 'write']);
    let last: RunningServer = servers[0];
    for (const [index, server] of servers.entries()) {
      await more(50);
      expect((await server.stop()).code).toBe(0);
      await more(50);
      last = await serve({ ...DELAYED, PORT: portOf(server) });
      // The other server must not stop until the balancer has detected this one.
      await vi.waitFor(() => expect(output()).toContain(`Server repeatable/orders-${index + 1} is UP`));
    }
    await more(50);
    await stop();
    expect(failed(outcomes)).toEqual([]);
    expect(await countOrders(last, key)).toBe(outcomes.filter(({ status }) => status === 201).length);
  });

  it('fail no read and no write with a key while one of them is killed under load', async () => {
    const { apiKey: key, serve } = await aDatabase();
    const servers = [await serve(), await serve()] as const;
    const { url } = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
    const { more, stop, outcomes } = load(url, key, ['read', 'keyed write']);
    await more(50);
    await servers[0].kill();
    await more(100);
    const again = await serve({ PORT: portOf(servers[0]) });
    await more(50);
    await stop();
    expect(failed(outcomes)).toEqual([]);
    expect(await countOrders(again, key)).toBe(outcomes.filter(({ status }) => status === 201).length);
  });
});
