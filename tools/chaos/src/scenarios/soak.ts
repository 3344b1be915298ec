import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { brokenRequests, quantile, serverErrors, formatCounts } from '../load/tally.ts';
import { type Installation, install } from '../processes/installation.ts';
import { query } from '../processes/postgres.ts';
import { openFiles, residentMiB } from '../processes/processes.ts';
import { redisSize, startRedis } from '../processes/redis.ts';
import type { Server } from '../processes/server.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/**
 * Eight minutes with as many requests as an owner at all limits sends in an hour, 600 reads and 120 writes a minute.
 * The short run takes half a minute.
 */
const HOUR = { operations: 60 * (600 + 120), tookMs: 8 * 60 * 1000 };
const LOOK_MS = 30_000;

/** The first part, in which memory is taken that stays taken, does not count. */
const WARM_UP = 0.3;

/** How much more of each there may be in the second half than in the first: a share of it, and so much beside. */
const MARGINS = {
  'memory of server 1, MiB': [0.05, 20],
  'memory of server 2, MiB': [0.05, 20],
  'heap of server 1, MiB': [0.25, 15],
  'heap of server 2, MiB': [0.25, 15],
  'open files of server 1': [0.1, 3],
  'open files of server 2': [0.1, 3],
  'connections of PostgreSQL': [0.1, 3],
  'keys in Redis': [0, 2],
  'memory of Redis, KiB': [0.1, 200],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

type Sample = Readonly<Record<keyof typeof MARGINS, number>>;

export const soak: Scenario = {
  name: 'soak',
  about: 'nothing but constant load; with --full as much as in an hour, in eight minutes',
  run: async (stage) => {
    const redis = await startRedis(stage);
    const installed = await install(stage, { REDIS_URL: redis.url, METRICS_PORT: '0' });
    const { postgres, apiKey, urls } = installed;
    const load = await startLoad(stage, { urls, apiKeys: [apiKey] });
    const samples = stage.full
      ? await goOn(stage, load, HOUR.operations, HOUR.tookMs, () => sample(installed, redis.url))
      : await goOn(stage, load, stage.operations, LOOK_MS, () => sample(installed, redis.url));
    await settle(stage, load, postgres.url);
    const warm = samples.slice(Math.floor(samples.length * WARM_UP));
    const halves = [warm.slice(0, warm.length / 2), warm.slice(warm.length / 2)];
    for (const name of names()) {
      const [first = 0, second = 0] = halves.map((half) =>
        quantile(
          half.map((each) => each[name]),
          0.5,
        ),
      );
      const [share, beside] = MARGINS[name];
      stage.figure(name, `${first.toFixed(0)}, then ${second.toFixed(0)}`);
      const found = `${first.toFixed(1)} in the first half, ${second.toFixed(1)} in the second`;
      stage.holds(second <= first * (1 + share) + beside, `${name}: flat`, found);
    }
    const { tally } = load;
    const failed = serverErrors(tally) + brokenRequests(tally);
    stage.holds(failed === 0, 'no request fails', `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`);
  },
};

function names(): readonly (keyof typeof MARGINS)[] {
  const isName = (name: string): name is keyof typeof MARGINS => Object.hasOwn(MARGINS, name);
  return Object.keys(MARGINS).filter(isName);
}

/** Has so many operations done at a constant pace, and takes a sample every second. */
async function goOn(
  stage: Stage,
  load: Load,
  operations: number,
  tookMs: number,
  take: () => Promise<Sample>,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const begun = performance.now();
  let allowed = 0;
  while (allowed < operations && load.failure() === undefined) {
    const due = Math.min(operations, Math.ceil((operations * (performance.now() - begun)) / tookMs));
    load.allow(due - allowed);
    allowed = due;
    if (performance.now() - begun > samples.length * 1000) samples.push(await take());
    stage.progress(`${load.done()} of ${operations} operations`);
    await sleep(50);
  }
  return samples;
}

async function sample({ postgres, servers }: Installation, redisUrl: string): Promise<Sample> {
  const [first, second] = servers;
  const { keys, kib } = await redisSize(redisUrl);
  const [row] = await query(
    postgres.url,
    'select count(*)::int as count from pg_stat_activity where datname = current_database()',
  );
  return {
    'memory of server 1, MiB': residentMiB(first.pid()),
    'memory of server 2, MiB': residentMiB(second.pid()),
    'heap of server 1, MiB': await heapMiB(first),
    'heap of server 2, MiB': await heapMiB(second),
    'open files of server 1': openFiles(first.pid()),
    'open files of server 2': openFiles(second.pid()),
    'connections of PostgreSQL': Number(row?.['count']),
    'keys in Redis': keys,
    'memory of Redis, KiB': kib,
  };
}

/** Returns the used heap of a server, including garbage, from its metrics. */
async function heapMiB(server: Server): Promise<number> {
  const [, url = ''] = /metrics are served at ([^"]+)/.exec(await server.log()) ?? [];
  const metrics = await (await fetch(url)).text();
  const [, bytes = ''] = /^nodejs_heap_size_used_bytes ([\d.e+]+)/m.exec(metrics) ?? [];
  if (bytes === '') throw new Error(`no size of the heap in the metrics of ${server.name}`);
  return Number(bytes) / 1024 ** 2;
}
