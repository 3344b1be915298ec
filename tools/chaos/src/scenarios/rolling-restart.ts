import { setTimeout as sleep } from 'node:timers/promises';
import { BEHIND_BALANCER, startBalancer } from '../balancer.ts';
import { install } from '../installation.ts';
import type { Attempt } from '../load/client.ts';
import { type Load, startLoad } from '../load/load.ts';
import { brokenRequests, serverErrors, formatCounts } from '../load/tally.ts';
import type { Scenario } from '../stage.ts';

/** How often each server is restarted. */
const ROUNDS = 2;

/** How often clients begin with something meanwhile, in milliseconds. */
const EVERY_MS = 10;

/** Maximum number of waiting and running operations when clients are slow. */
const BEHIND = 8;

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  about: 'both servers restarted one after the other, twice, behind the balancer',
  run: async (stage) => {
    const { postgres, apiKeys, servers } = await install(stage, BEHIND_BALANCER);
    const balancer = await startBalancer(stage, servers);
    let [resets, repeats] = [0, 0];
    const observe = ({ request, exchanged, afterReset }: Attempt) => {
      const description = `${request.method} ${request.path}`;
      if (afterReset) {
        const said = 'broken' in exchanged ? exchanged.broken : `${exchanged.status}`;
        stage.holds(!('broken' in exchanged), 'a retry after a reset succeeds at once', `${description}: ${said}`);
        repeats += 1;
      }
      if (!('broken' in exchanged)) return;
      resets += 1;
      const found = `${description}: ${exchanged.broken}, ${exchanged.reused ? 'reused' : 'new'} connection`;
      const isReset = exchanged.reused && /^(ECONNRESET|EPIPE)$/.test(exchanged.broken);
      stage.holds(isReset, 'nothing but a reset, and that on a reused connection', found);
    };
    const urls = [balancer.url];
    const load = await startLoad(stage, { urls, apiKeys, balanced: true, observe });
    const restart = async () => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const [index, server] of servers.entries()) {
          stage.progress(`round ${round}, ${server.name}, ${load.done()} operations`);
          const ended = await server.stop();
          stage.holds(ended === 'ended with 0', 'a server ends in order', `${server.name} ${ended}`);
          const number = index === 0 ? 1 : 2;
          // A restart may be too quick to be noticed.
          await balancer.notices(number, 'DOWN', round);
          await server.start();
          // Until the balancer has noticed, the other one must not go.
          await balancer.notices(number, 'UP', round);
        }
      }
    };
    await load.carryOut(Math.floor(stage.operations / 10));
    await keepBusy(load, EVERY_MS, restart());
    await load.settle(postgres.url);
    stage.figure('resets', `${resets}, ${repeats} repeated at once`);
    const { tally } = load;
    const broken = brokenRequests(tally);
    stage.holds(serverErrors(tally) === 0, 'no status of 500 or more', formatCounts(tally.statuses));
    stage.holds(broken === repeats, 'every reset is followed by a retry', `${broken} resets, ${repeats} retries`);
  },
};

/** Allows one further operation every `everyMs` until `work` ends, unless clients are too slow. */
async function keepBusy<T>(load: Load, everyMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const worked = work.finally(() => over.abort());
  // The caller that awaits the work receives its failure.
  worked.catch(() => undefined);
  while (!over.signal.aborted) {
    if (load.left() < BEHIND) load.allow(1);
    await sleep(everyMs);
  }
  return await worked;
}
