import { readFile } from 'node:fs/promises';
import { makeApiKey } from '../api-key.ts';
import { idleConnections, slowConnections } from '../load/held-connections.ts';
import { startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { brokenRequests, quantile, serverErrors, formatCounts } from '../load/tally.ts';
import { startPostgres } from '../processes/postgres.ts';
import { residentMiB } from '../processes/processes.ts';
import { startServer } from '../processes/server.ts';
import { seconds } from '../progress.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';

const [IDLE, SLOW] = [10_000, 500];

/** Those of the connections, on either side, and what else a process has open. */
const FILES = IDLE + SLOW + 500;

/** How long headers may take to arrive, and how often the server looks; the rest is for a busy machine. */
const SLOW_MAX_MS = 10_000 + 2000 + 8000;

/** What all these connections may cost the server, and its other clients. */
const [MEMORY_MAX_MIB, P99_MAX_MS] = [500, 2000];

export const manyConnections: Scenario = {
  name: 'many-connections',
  about: `${IDLE} idle connections, and ${SLOW} that send a byte a second`,
  run: async (stage) => {
    const limit = await openFilesLimit();
    if (limit < FILES) throw new Error(`needs ${FILES} open files, and this machine allows ${limit}: raise ulimit -Hn`);
    const postgres = await startPostgres(stage);
    const apiKey = await makeApiKey(postgres.url);
    const server = await startServer(stage, 'server', postgres.url);
    const port = Number(new URL(server.url).port);
    const load = await startLoad(stage, { urls: [server.url], apiKeys: [apiKey], clients: 4 });
    const { tally } = load;
    await load.carryOut(Math.floor(stage.operations / 5));
    const before = { p99: quantile(tally.tookMs, 0.99), memory: residentMiB(server.pid()), count: tally.tookMs.length };

    stage.progress('opening connections');
    const idle = await idleConnections(port, IDLE);
    stage.atEnd(() => idle.close());
    const slow = await slowConnections(port, SLOW);
    stage.atEnd(() => slow.close());
    let most = 0;
    const share = Math.floor(stage.operations / 100);
    await waitFor('the end of slow connections', 2 * SLOW_MAX_MS, async () => {
      stage.progress(`${idle.open()} idle, ${slow.open()} slow, ${load.done()} operations`);
      if (load.done() < stage.operations) await load.carryOut(share);
      most = Math.max(most, residentMiB(server.pid()));
      return slow.open() === 0 ? true : undefined;
    });
    stage.holds(idle.open() === IDLE, 'idle connections stay open', `${IDLE - idle.open()} were ended`);
    await settle(stage, load, postgres.url);

    const longest = Math.max(...slow.ended.map(({ openMs }) => openMs));
    const withoutResponse = slow.ended.filter(({ said }) => !said.startsWith('HTTP/1.1 408 ')).length;
    const p99 = quantile(tally.tookMs.slice(before.count), 0.99);
    stage.figure('p99 before, among them', `${before.p99.toFixed(0)}, ${p99.toFixed(0)} ms`);
    stage.figure('memory before, among them', `${before.memory.toFixed(0)}, ${most.toFixed(0)} MiB`);
    stage.figure('slow ones ended after', seconds(longest));
    stage.holds(longest < SLOW_MAX_MS, `slow connections end within ${seconds(SLOW_MAX_MS)}`, seconds(longest));
    stage.holds(withoutResponse === 0, 'slow connections get 408', `${withoutResponse} were not`);
    stage.holdsWithin(P99_MAX_MS, 'p99 of others', p99);
    stage.holds(most < MEMORY_MAX_MIB, `the server below ${MEMORY_MAX_MIB} MiB`, `${most.toFixed(0)} MiB`);
    const failed = serverErrors(tally) + brokenRequests(tally);
    stage.holds(
      failed === 0,
      'no other request fails',
      `${formatCounts(tally.statuses)}; ${formatCounts(tally.broken)}`,
    );
  },
};

/** How many files we may have open, and those that we start: Node.js raises the soft limit to the hard one. */
async function openFilesLimit(): Promise<number> {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? Infinity : Number(soft);
}
