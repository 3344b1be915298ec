import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { aFolder, AN_ORDER, type RunningServer } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** The statuses of reads and of writes with a key; 0 without a response. */
interface Statuses {
  readonly read: number[];
  readonly write: number[];
}

/** All had their effect, once. */
const ALL_SUCCEEDED = { read: new Set([200]), write: new Set([201]), surplus: 0 };

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
    /** Waits until the given number of further requests of each kind have responses. */
    more: async (count: number): Promise<void> => {
      const goals = kinds.map((kind) => statuses[kind].length + count);
      await vi.waitUntil(() => kinds.every((kind, at) => statuses[kind].length >= (goals[at] ?? 0)));
    },
    /** Ends. Returns the statuses, and how many orders `server` has beyond the writes. */
    stop: async (server: RunningServer) => {
      stopped = true;
      await ended;
      const surplus = (await countOrders(server, apiKey)) - statuses.write.length;
      return { read: new Set(statuses.read), write: new Set(statuses.write), surplus };
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

/** Installs the last release, or before the first one the commit with the newest change of the baseline. Returns its program. */
async function lastRelease(): Promise<string> {
  const release = await aFolder();
  const script = `commit=$(git describe --tags --abbrev=0 HEAD^ 2>&- ||
      git log -1 --format=%H -- packages/persistence/migrations/0001-baseline.sql)
    git archive $commit | tar -x -C ${release}
    pnpm --dir ${release} install --frozen-lockfile --prefer-offline --filter=@orders/server...`;
  await promisify(execFile)('sh', ['-ec', script], { cwd: join(import.meta.dirname, '../../../..') });
  return join(release, 'apps/server/src/main.ts');
}

describe('two servers behind the balancer fail no read and no write with a key', () => {
  it('while one is killed under load', async () => {
    const { apiKey: key, serve } = await aDatabase();
    const servers = [await serve(), await serve()] as const;
    const { url } = await startBalancer([addressOf(servers[0]), addressOf(servers[1])]);
    const { more, stop } = load(url, key);
    await more(50);
    await servers[0].kill();
    await more(100);
    const again = await serve({ PORT: new URL(servers[0].url).port });
    await more(50);
    expect(await stop(again)).toEqual(ALL_SUCCEEDED);
  });

  it('while both are upgraded from the last release, and the first one goes back once', async () => {
    const { apiKey: key, serve } = await aDatabase();
    const last = await lastRelease();
    const servers = { 1: await serve({}, last), 2: await serve({}, last) };
    const { url, output } = await startBalancer([addressOf(servers[1]), addressOf(servers[2])]);
    const { more, stop } = load(url, key);
    for (const [step, number] of ([1, 1, 1, 2] as const).entries()) {
      await more(50);
      const times = number === 1 ? step + 1 : 1;
      const noticed = (state: string) => {
        const lines = new RegExp(`^Server repeatable/orders-${number} is ${state}`, 'gm');
        return vi.waitUntil(() => (output().match(lines)?.length ?? 0) >= times);
      };
      expect(await servers[number].stop()).toMatchObject({ code: 0 });
      // A restart may be too quick to be noticed, and until it is, the other one must not go.
      await noticed('DOWN');
      servers[number] = await serve({ PORT: new URL(servers[number].url).port }, step === 1 ? last : undefined);
      await noticed('UP');
    }
    await more(50);
    expect(await stop(servers[1])).toEqual(ALL_SUCCEEDED);
  });
});
