import { randomUUID } from 'node:crypto';
import { openDatabase, postgresOwnerSettings } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

/** The time within which a change holds, in milliseconds. */
const PROMISED_MS = 10_000;

it('what is set for an owner takes effect within ten seconds on each of three servers, and ends', async () => {
  const { url, apiKey } = await aDatabase();
  const database = openDatabase({ url });
  onTestFinished(() => database.close());
  const env = { DATABASE_URL: url, DATA_DIR: '/nowhere' };
  const servers = await Promise.all([1, 2, 3].map(() => startServer(env)));
  const settings = postgresOwnerSettings(database);
  const by = { actor: 'command:test', reason: null };
  const seenBy = (server: { readonly url: string }) => async () => {
    const response = await fetch(`${server.url}/v1/orders/${randomUUID()}`, { headers: { 'x-api-key': apiKey } });
    await response.arrayBuffer();
    return [response.status, response.headers.get('ratelimit-policy')];
  };
  const changed = async (change: Parameters<typeof settings.change>[1], expected: readonly unknown[]) => {
    (await settings.change('shop', change, new Date().toISOString(), by))._unsafeUnwrap();
    const began = performance.now();
    await Promise.all(servers.map((server) => expect.poll(seenBy(server), { interval: 200 }).toEqual(expected)));
    expect(performance.now() - began).toBeLessThan(PROMISED_MS);
  };
  const own = '"read";q=5000;w=60';
  await changed({ rate_limits: { read: 5000, write: null, batch: null } }, [404, own]);
  await changed({ suspended: true }, [403, own]);
  await changed({ suspended: false, rate_limits: null }, [404, '"read";q=600;w=60']);
});
