// Tests each property of the lane `soak` of vitest.config.ts with many more runs than the suites do, in rounds of new seeds.
//
//   node tools/soak.mjs [RUNS] [TEST…]    a million runs of each, or RUNS; of all test files, or those
//
// A round that fails ends it. Its seed and its number of runs, in the environment, repeat the round.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';

/** Few enough that what a round leaves in memory does not slow it down. */
const ROUND = 1_000;
const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/.bin/vitest');

const { SOAK_SEED, SOAK_RUNS } = process.env;
const [runs = '1000000', ...tests] = process.argv.slice(2);
const total = Number(SOAK_RUNS ?? runs);
if (!Number.isSafeInteger(total) || total < 1) throw new Error(`the number of runs is no positive integer: ${runs}`);

for (let done = 0; done < total;) {
  const round = { SOAK_SEED: SOAK_SEED ?? `${randomInt(2 ** 31)}`, SOAK_RUNS: `${Math.min(ROUND, total - done)}` };
  const { status, stdout } = spawnSync(VITEST, ['run', '--mode', 'soak', ...tests], {
    cwd: ROOT,
    env: { ...process.env, ...round },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    console.error(
      `${stdout}\nRepeat it with SOAK_SEED=${round.SOAK_SEED} SOAK_RUNS=${round.SOAK_RUNS} in the environment.`,
    );
    process.exit(1);
  }
  done += Number(round.SOAK_RUNS);
  console.log(`${done} of ${total} runs of each property, ${Math.round(process.uptime())} s`);
}
