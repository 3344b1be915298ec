import { setTimeout as sleep } from 'node:timers/promises';
import { openFiles, quantile, query, residentMiB } from '@orders/system-under-test';
import { install, type Installation, type StagedServer } from '../installation.ts';
import { startLoad } from '../load/load.ts';
import { brokenRequests, formatCounts, serverErrors } from '../load/tally.ts';
import type { Scenario } from '../stage.ts';

/**
 * Eight minutes with as many requests as an owner at all limits sends in an hour, 600 reads and 120 writes a minute.
 * The short run takes half a minute.
 */
const HOUR = { operations: 60 * (600 + 120), tookMs: 8 * 60 * 1000 };
const LOOK_MS = 30_000;

/** The first part, in which memory is taken that stays taken, does not count. */
const WARM_UP = 0.3;

/** A figure, and how much more of it there may be in the second half than in the first: a share, and so much beside. */
interface Sample {
  readonly name: string;
  readonly value: number;
  readonly share: number;
  readonly beside: number;
}

export const soak: Scenario = {
  name: 'soak',
  about: 'nothing but constant load; with --full as much as in an hour, in eight minutes',
  run: async (stage) => {
    const installed = await install(stage, { METRICS_PORT: '0' });
    const { postgres, apiKeys, urls } = installed;
    const load = await startLoad(stage, { urls, apiKeys });
    const { operations, tookMs } = stage.full ? HOUR : { operations: stage.operations, tookMs: LOOK_MS };
    const samples: (readonly Sample[])[] = [];
    const begun = performance.now();
    for (let allowed = 0; allowed < operations && load.failure() === undefined; await sleep(50)) {
      const due = Math.min(operations, Math.ceil((operations * (performance.now() - begun)) / tookMs));
      load.allow(due - allowed);
      allowed = due;
      if (performance.now() - begun > samples.length * 1000) samples.push(await sample(installed));
      stage.progress(`${load.done()} of ${operations} operations`);
    }
    await load.settle(postgres.url);
    const warm = samples.slice(Math.floor(samples.length * WARM_UP)).flat();
    for (const [name, ofName] of Map.groupBy(warm, (each) => each.name)) {
      const values = ofName.map(({ value }) => value);
      const half = Math.floor(values.length / 2);
      const [first, second] = [quantile(values.slice(0, half), 0.5), quantile(values.slice(half), 0.5)];
      const { share = 0, beside = 0 } = ofName[0] ?? {};
      const found = `${first.toFixed(1)} in the first half, ${second.toFixed(1)} in the second`;
      stage.figure(name, found);
      stage.holds(second <= first * (1 + share) + beside, `${name}: flat`, found);
    }
    const { tally } = load;
    const failed = serverErrors(tally) + brokenRequests(tally);
    stage.holds(failed === 0, 'no request fails', `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`);
  },
};

async function sample({ postgres, servers }: Installation): Promise<readonly Sample[]> {
  const sessions = 'select count(*)::int as count from pg_stat_activity where datname = current_database()';
  const [row] = await query(postgres.url, sessions);
  const ofServers = servers.map(async (server): Promise<readonly Sample[]> => [
    { name: `memory of ${server.name}, MiB`, value: residentMiB(server.pid()), share: 0.05, beside: 20 },
    { name: `heap of ${server.name}, MiB`, value: await heapMiB(server), share: 0.25, beside: 15 },
    { name: `open files of ${server.name}`, value: openFiles(server.pid()), share: 0.1, beside: 3 },
  ]);
  const connections = { name: 'connections of PostgreSQL', value: Number(row?.['count']), share: 0.1, beside: 3 };
  return [connections, ...(await Promise.all(ofServers)).flat()];
}

/** Returns the used heap of a server, including garbage, from its metrics. */
async function heapMiB(server: StagedServer): Promise<number> {
  const [, url = ''] = /metrics are served at ([^"]+)/.exec(await server.log()) ?? [];
  const metrics = await (await fetch(url)).text();
  const [, bytes = ''] = /^nodejs_heap_size_used_bytes ([\d.e+]+)/m.exec(metrics) ?? [];
  if (bytes === '') throw new Error(`no size of the heap in the metrics of ${server.name}`);
  return Number(bytes) / 1024 ** 2;
}
