// Tests each property of the lane `soak` of vitest.config.ts with many more runs than the suites do, in rounds of new seeds.
//
//   node tools/soak.mjs [RUNS] [TEST…]    a million runs of each, or RUNS; of all test files, or those
//
// Or the event feed under faults, with a million events, or EVENTS; the project `persistence-postgres-15` is another one.
//
//   node tools/soak.mjs feed [EVENTS] [PROJECT]
//
// Or what hostile requests cost the server, by 100,000 of them, or REQUESTS. It follows the properties when no argument is
// given.
//
//   node tools/soak.mjs hostile [REQUESTS]
//
// A round that fails ends it. Its seed and its number of runs, in the environment, repeat the round.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';

/** Few enough that what a round leaves in memory does not slow it down. */
const ROUND = 1_000;
/** Few enough for a database in memory. */
const HOSTILE_ROUND = 5_000;
const ROOT = join(import.meta.dirname, '..');
const BENCH = join(ROOT, 'tools/bench/src/main.ts');
const VITEST = join(ROOT, 'node_modules/.bin/vitest');

if (process.argv[2] === 'feed') soakFeed(process.argv[3], process.argv[4]);
if (process.argv[2] === 'hostile') soakHostile(process.argv[3]);

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

if (process.argv.length === 2) soakHostile();

/** Sends hostile requests, in rounds of new seeds, and exits. */
function soakHostile(requests = '100000') {
  if (!/^[1-9]\d*$/.test(requests)) throw new Error(`the number of requests is no positive integer: ${requests}`);
  for (let left = Number(requests); left > 0; left -= HOSTILE_ROUND) {
    const round = ['--seed', `${randomInt(1, 10 ** 9)}`, '--requests', `${Math.min(HOSTILE_ROUND, left)}`];
    const { status } = spawnSync(process.execPath, ['--conditions=source', BENCH, 'hostile', ...round], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  process.exit(0);
}

/** Runs the test of the event feed once, and exits. */
function soakFeed(events = '1000000', project = 'persistence') {
  if (!/^[1-9]\d*$/.test(events)) throw new Error(`the number of events is no positive integer: ${events}`);
  const args = ['run', '--mode', 'nightly', '--project', project, 'feed-soak'];
  const { status } = spawnSync(VITEST, args, {
    cwd: ROOT,
    env: { ...process.env, SOAK_EVENTS: events },
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}
