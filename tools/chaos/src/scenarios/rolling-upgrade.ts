import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BEHIND_BALANCER, startBalancer } from '../balancer.ts';
import { install } from '../installation.ts';
import type { Attempt } from '../load/client.ts';
import { startLoad } from '../load/load.ts';
import { brokenRequests, serverErrors, formatCounts } from '../load/tally.ts';
import type { Scenario, Stage } from '../stage.ts';

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '../../../..');
const MAIN = 'apps/server/src/main.ts';

/** The operations that clients begin with at a time meanwhile, and how often, in milliseconds. */
const [AT_A_TIME, EVERY_MS] = [8, 80];

export const rollingUpgrade: Scenario = {
  name: 'rolling-upgrade',
  about: 'both servers upgraded one after the other behind the balancer, after the first one went back once',
  run: async (stage) => {
    const old = await installLastRelease(stage);
    const { postgres, apiKeys, servers } = await install(stage, BEHIND_BALANCER, undefined, join(old, MAIN));
    const balancer = await startBalancer(stage, servers);
    let repeats = 0;
    const observe = ({ request, exchanged, afterReset }: Attempt) => {
      const description = `${request.method} ${request.path}`;
      if (afterReset) {
        const said = 'broken' in exchanged ? exchanged.broken : `${exchanged.status}`;
        stage.holds(!('broken' in exchanged), 'a retry after a reset succeeds at once', `${description}: ${said}`);
        repeats += 1;
      }
      if (!('broken' in exchanged)) return;
      const found = `${description}: ${exchanged.broken}, ${exchanged.reused ? 'reused' : 'new'} connection`;
      const isReset = exchanged.reused && /^(ECONNRESET|EPIPE)$/.test(exchanged.broken);
      stage.holds(isReset, 'nothing but a reset, and that on a reused connection', found);
    };
    const load = await startLoad(stage, { urls: [balancer.url], apiKeys, balanced: true, observe });
    let isOver = false;
    const upgrade = async () => {
      // The first server goes back once.
      for (const [step, number] of ([1, 1, 1, 2] as const).entries()) {
        const [release, times] = [step === 1 ? old : REPOSITORY, number === 1 ? step + 1 : 1];
        const server = servers[number === 1 ? 0 : 1];
        stage.progress(`${server.name} to the ${release === old ? 'old' : 'new'} release, ${load.done()} operations`);
        const ended = await server.stop();
        stage.holds(ended === 'ended with 0', 'a server ends in order', `${server.name} ${ended}`);
        // A restart may be too quick to be noticed.
        await balancer.notices(number, 'DOWN', times);
        await server.start(join(release, MAIN));
        // Until the balancer has noticed, the other one must not go.
        await balancer.notices(number, 'UP', times);
      }
    };
    const keepBusy = async () => {
      while (!isOver && load.failure() === undefined) await Promise.all([load.carryOut(AT_A_TIME), sleep(EVERY_MS)]);
    };
    await load.carryOut(Math.floor(stage.operations / 10));
    await Promise.all([upgrade().finally(() => (isOver = true)), keepBusy()]);
    await load.settle(postgres.url);
    const broken = brokenRequests(load.tally);
    stage.holds(serverErrors(load.tally) === 0, 'no status of 500 or more', formatCounts(load.tally.statuses));
    stage.holds(broken === repeats, 'every reset is followed by a retry', `${broken} resets, ${repeats} retries`);
  },
};

/** Installs the last release, or before the first one the commit with the newest change of the baseline. Returns its folder. */
async function installLastRelease(stage: Stage): Promise<string> {
  const release = join(stage.folder, 'release');
  const script = `commit=$(git describe --tags --abbrev=0 HEAD^ 2>&- ||
      git log -1 --format=%H -- packages/persistence/migrations/0001-baseline.sql)
    mkdir ${release}; git archive $commit | tar -x -C ${release}
    pnpm --dir ${release} install --frozen-lockfile --prefer-offline --filter=@orders/server... >&2
    git log -1 --format='%h of %cs' $commit`;
  stage.figure('from', (await run('sh', ['-ec', script], { cwd: REPOSITORY })).stdout.trim());
  return release;
}
