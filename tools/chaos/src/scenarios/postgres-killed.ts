import { waitFor } from '@orders/system-under-test';
import { install } from '../installation.ts';
import { checkOutage } from '../load/check-outage.ts';
import type { Attempt } from '../load/client.ts';
import { startLoad } from '../load/load.ts';
import { seconds } from '../play.ts';
import type { Scenario } from '../stage.ts';

const KILLS = 5;

/** The wait for a connection, the statement timeout with its grace period, and a margin. */
const RESPONSE_MS = 5000 + 2000 + 3000;

/** How soon servers have to serve again after PostgreSQL does. */
const RECOVERY_MS = 10_000;

/** How many requests clients send at least while PostgreSQL is down. */
const REFUSED = 20;

export const postgresKilled: Scenario = {
  name: 'postgres-killed',
  about: 'kill -9 of PostgreSQL and all its children, and its restart, five times',
  run: async (stage) => {
    const { postgres, apiKeys, servers, urls } = await install(stage, { STATEMENT_TIMEOUT_MS: '1000' });
    let [down, refused] = [false, 0];
    const observe = (attempt: Attempt) => {
      checkOutage(stage, attempt, RESPONSE_MS);
      const { exchanged } = attempt;
      if (down && 'status' in exchanged && exchanged.status === 503) refused += 1;
    };
    const load = await startLoad(stage, { urls, apiKeys, observe });
    const pids = servers.map((server) => server.pid());
    const share = Math.floor(stage.operations / KILLS);
    const recoveries: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      stage.progress(`kill ${kill} of ${KILLS}, ${load.done()} operations`);
      await load.amidst(share);
      await postgres.kill();
      [down, refused] = [true, 0];
      const before = load.done();
      await waitFor('refused requests', 30_000, () => (refused >= REFUSED ? true : undefined));
      for (const url of urls) {
        await becomes(url, 503, 10_000);
        stage.holds((await health(url, 'livez')) === 200, 'a server without its database is alive', `${url} is not`);
      }
      stage.holds(load.done() <= before + 8, 'nothing is done while PostgreSQL is down', load.done() - before);
      down = false;
      await postgres.start();
      recoveries.push(...(await Promise.all(urls.map((url) => becomes(url, 200, RECOVERY_MS)))));
    }
    await load.settle(postgres.url);
    stage.figure('recovered within', seconds(Math.max(...recoveries)));
    const same = servers.every((server, index) => server.pid() === pids[index]);
    stage.holds(same, 'no server was restarted', 'one was');
  },
};

/** Returns the status of a health endpoint of a server; 0 without a response. */
async function health(url: string, page: 'livez' | 'readyz'): Promise<number> {
  try {
    const response = await fetch(`${url}/${page}`, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Waits until a server reports the given readiness, and returns the duration in milliseconds. */
async function becomes(url: string, status: number, limitMs: number): Promise<number> {
  const begun = performance.now();
  await waitFor(`${status} of ${url}/readyz`, limitMs, async () =>
    (await health(url, 'readyz')) === status ? true : undefined,
  );
  return performance.now() - begun;
}
