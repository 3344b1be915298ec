import { startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { brokenRequests, quantile, serverErrors, formatCounts } from '../load/tally.ts';
import { install } from '../processes/installation.ts';
import { startRedis } from '../processes/redis.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';

/** Requests do not wait for a missing Redis, or not for long. The rest is a margin for a busy machine. */
const SLOWEST_MS = 3000;

const [ALONE, SHARED] = [/the shared rate-limit store fails/g, /the shared rate-limit store has recovered/g];

export const redisGone: Scenario = {
  name: 'redis-gone',
  about: 'the Redis that servers count in killed, restarted, and halted',
  run: async (stage) => {
    const redis = await startRedis(stage);
    const { postgres, apiKey, urls, servers } = await install(stage, { REDIS_URL: redis.url });
    const load = await startLoad(stage, { urls, apiKeys: [apiKey] });
    const share = Math.floor(stage.operations / 8);
    /** Goes on until every server has said so for the `times`th time, and a share longer. */
    const until = async (pattern: RegExp, times: number) => {
      await waitFor(`${times} times ${pattern.source}`, 30_000, async () => {
        if (load.done() < stage.operations - 2 * share) await load.carryOut(8);
        const logs = await Promise.all(servers.map((server) => server.log()));
        // A server without requests does not notice the outage.
        await Promise.all(urls.map((url) => requestOnce(url, apiKey)));
        return logs.every((log) => (log.match(pattern)?.length ?? 0) >= times) ? true : undefined;
      });
      await load.amidst(share);
    };
    await load.amidst(share);
    stage.progress('killed');
    await redis.kill();
    await until(ALONE, 1);
    stage.progress('restarted');
    await redis.start();
    await until(SHARED, 1);
    stage.progress('halted');
    redis.signal('SIGSTOP');
    await until(ALONE, 2);
    stage.progress('going on');
    redis.signal('SIGCONT');
    await until(SHARED, 2);
    await settle(stage, load, postgres.url);
    const { tally } = load;
    const failed = serverErrors(tally) + brokenRequests(tally) + (tally.statuses.get(429) ?? 0);
    stage.holds(failed === 0, 'no request fails', `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`);
    const slowest = quantile(tally.tookMs, 1);
    stage.holds(slowest < SLOWEST_MS, `every response within ${SLOWEST_MS} ms`, `${slowest.toFixed(0)} ms`);
  },
};

async function requestOnce(url: string, apiKey: string): Promise<void> {
  const response = await fetch(`${url}/v1/orders?limit=1`, { headers: { 'x-api-key': apiKey } });
  await response.arrayBuffer();
}
