import { followFeeds } from '../feed/follow-feeds.ts';
import type { Attempt } from '../load/client.ts';
import { checkOutage } from '../load/check-outage.ts';
import { startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { becomes, health } from '../health.ts';
import { install } from '../processes/installation.ts';
import { seconds } from '../progress.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';
import { receiveWebhooks, WITH_WEBHOOKS } from '../webhooks/receive-webhooks.ts';

const KILLS = 5;

/** The wait for a connection, the statement timeout with its grace period, and a margin. */
const RESPONSE_MS = 5000 + 2000 + 3000;

/** The longest wait of a follower for events. */
const WAIT_MS = 20_000;

/** How soon servers have to serve again after PostgreSQL does. */
const RECOVERY_MS = 10_000;

/** How many requests clients send at least while PostgreSQL is down. */
const REFUSED = 20;

export const postgresKilled: Scenario = {
  name: 'postgres-killed',
  about: 'kill -9 of PostgreSQL and all its children, and its restart, five times',
  run: async (stage) => {
    const { postgres, apiKeys, servers, urls } = await install(stage, {
      STATEMENT_TIMEOUT_MS: '1000',
      ...WITH_WEBHOOKS,
    });
    const webhooks = await receiveWebhooks(stage, { urls, apiKeys });
    let [down, refused] = [false, 0];
    const observe = (attempt: Attempt) => {
      checkOutage(stage, attempt, RESPONSE_MS);
      const { exchanged } = attempt;
      if (down && 'status' in exchanged && exchanged.status === 503) refused += 1;
    };
    const load = await startLoad(stage, { urls, apiKeys, observe });
    const followers = followFeeds(stage, load, {
      urls,
      apiKeys,
      observe: (attempt) => checkOutage(stage, attempt, WAIT_MS + RESPONSE_MS),
    });
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
    await settle(stage, load, postgres.url);
    await followers.finish();
    await webhooks.finish(load);
    stage.figure('recovered within', seconds(Math.max(...recoveries)));
    const same = servers.every((server, index) => server.pid() === pids[index]);
    stage.holds(same, 'no server was restarted', 'one was');
  },
};
