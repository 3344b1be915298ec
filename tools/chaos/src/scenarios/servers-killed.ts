import { followFeeds } from '../feed/follow-feeds.ts';
import { startLoad } from '../load/load.ts';
import { random } from '../load/random.ts';
import { settle } from '../load/settle.ts';
import { brokenRequests } from '../load/tally.ts';
import { install } from '../processes/installation.ts';
import type { Scenario } from '../scenario.ts';
import { receiveWebhooks, WITH_WEBHOOKS } from '../webhooks/receive-webhooks.ts';

const KILLS = 10;

export const serversKilled: Scenario = {
  name: 'servers-killed',
  about: 'kill -9 of one of two servers, ten times',
  run: async (stage) => {
    const { postgres, apiKeys, servers, urls } = await install(stage, WITH_WEBHOOKS);
    const webhooks = await receiveWebhooks(stage, { urls, apiKeys });
    const load = await startLoad(stage, { urls, apiKeys });
    const followers = followFeeds(stage, load, { urls, apiKeys });
    const chance = random(stage.seed);
    const share = Math.floor(stage.operations / (2 * KILLS));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      stage.progress(`kill ${kill} of ${KILLS}, ${load.done()} operations`);
      await load.amidst(share);
      const victim = chance.pick(servers);
      await victim?.kill();
      // The other one does the work meanwhile.
      await load.carryOut(share);
      await victim?.start();
    }
    await settle(stage, load, postgres.url);
    await followers.finish();
    await webhooks.finish(load);
    stage.holds(brokenRequests(load.tally) > 0, 'requests are under way when a server is killed', 'none was');
  },
};
