import { join } from 'node:path';
import { cpuTimeOfTree, quantile, startProgram, UNLIMITED } from '@orders/system-under-test';
import { type Bench, startBenchPostgres } from '../bench.ts';
import { describeRun } from '../describe-run.ts';
import { figure, formatReport, limit, type Section, verdict } from '../report.ts';
import { startReceiver } from './receiver.ts';
import { newReceivers, SENDING, type WebhooksBench, writeOrders } from './webhook-owners.ts';
import { writesSection } from './write-costs.ts';

/** Numbers of events and writes, rounds, and durations in seconds. */
const PLANS = {
  full: {
    throughput: { backlog: 10_000, seconds: 12 },
    latency: { timed: 1000 },
    writes: { rounds: 5, writes: 1000 },
  },
  quick: {
    throughput: { backlog: 160, seconds: 0.5 },
    latency: { timed: 32 },
    writes: { rounds: 1, writes: 32 },
  },
};

type Plan = (typeof PLANS)['full'];

/** The measurements, in the order of the report. */
export const WEBHOOKS_CASES = ['throughput', 'latency', 'writes'] as const;

type WebhooksCase = (typeof WEBHOOKS_CASES)[number];

const CLI = join(import.meta.dirname, '../../../../apps/server/src/cli.ts');

/** Measures webhooks of servers as shipped. */
export async function measureWebhooks(bench: Bench, cases: readonly WebhooksCase[]): Promise<string> {
  const plan = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const receiver = await startReceiver(bench);
  const serve = (WEBHOOKS: 'api' | 'on') =>
    bench.serve({ databaseUrl: postgres.url, env: { ...UNLIMITED, DATABASE_POOL_MAX: '10', ...SENDING, WEBHOOKS } });
  const has = (name: WebhooksCase) => cases.includes(name);
  const lags: (readonly string[])[] = [];
  const sections: Section[] = [];

  // Before a server with a worker starts: the backlog comes last, so that no worker delivers it yet.
  const alone = { bench, postgres, receiver, server: await serve('api') };
  const writes = has('writes') ? [await writesSection(alone, plan.writes)] : [];
  const timed = has('latency') ? await newReceivers(alone, 8) : [];
  if (has('latency')) {
    const env = { NODE_ENV: 'production', DATABASE_URL: postgres.url, ...SENDING };
    const logFile = join(bench.folder, 'worker.log');
    const worker = await startProgram(process.execPath, ['--conditions=source', CLI, 'webhooks'], { env, logFile });
    await worker.says(/delivering webhooks/, 60_000);
    lags.push(await lagRow(alone, '`orders webhooks` beside the server', timed, plan, null));
    worker.signal('SIGTERM');
    await worker.ended;
  }
  const busy = has('throughput') ? await newReceivers(alone, 16) : [];
  if (has('throughput')) await writeOrders(alone, busy, { requests: plan.throughput.backlog });
  await alone.server.stop();
  const settle = () => postgres.client.query('vacuum analyze');
  await settle();

  const webhooks = { bench, postgres, receiver, server: await serve('on') };
  if (has('throughput')) sections.push(await throughputSection(webhooks, busy, plan));
  if (has('latency')) lags.unshift(await lagRow(webhooks, 'the writing server', timed, plan, 300));
  await settle();
  if (lags.length > 0) sections.push(lagsSection(lags));
  sections.push(...writes);
  // Nothing may have arrived beyond what was expected.
  await receiver.take(0);
  return formatReport(await describeRun(postgres.client), sections);
}

/** The writes of all owners per second while the way of their events is timed. */
const PACE = 50;

/** Measures the time from an event to its delivery. `atMost` limits the 95th percentile, in milliseconds. */
async function lagRow(
  webhooks: WebhooksBench,
  title: string,
  apiKeys: readonly string[],
  { latency: { timed } }: Plan,
  atMost: number | null,
): Promise<readonly string[]> {
  webhooks.bench.progress.step(`latency of ${title}`);
  // The first ones compile the code.
  await writeOrders(webhooks, apiKeys, { requests: apiKeys.length, perSecond: PACE });
  await webhooks.receiver.take(apiKeys.length);
  await writeOrders(webhooks, apiKeys, { requests: timed, perSecond: PACE });
  const { lagsMs } = await webhooks.receiver.take(timed);
  const [p50, p95, p99] = [quantile(lagsMs, 0.5), quantile(lagsMs, 0.95), quantile(lagsMs, 0.99)];
  return [title, `${timed}`, figure(p50), figure(p95), figure(p99), ...limit(p95, atMost)];
}

function lagsSection(rows: readonly (readonly string[])[]): Section {
  const header = ['', 'deliveries', 'p50 ms', 'p95 ms', 'p99 ms', 'p95 at most', ''];
  return { title: '### From an event to its receiver', header, rows };
}

/** The least accepted deliveries per second, and the pace of the writes that must keep up, a little above. */
const [AT_LEAST, WRITES_PER_SECOND] = [500, 550];

/** The share of deliveries at the beginning and at the end that does not count, while the worker starts and ends. */
const EDGE = 0.05;

/** Measures a server that has just started, from the backlog and of the events that it writes meanwhile. */
async function throughputSection(
  webhooks: WebhooksBench,
  apiKeys: readonly string[],
  { throughput: { backlog, seconds } }: Plan,
): Promise<Section> {
  const { bench, postgres, receiver, server } = webhooks;
  const rowOf = async (title: string, begin: () => Promise<number>) => {
    bench.progress.step(`deliveries ${title}`);
    const cpuTimes = (): readonly [number, number] => [cpuTimeOfTree(server.pid()), cpuTimeOfTree(postgres.pid)];
    const before = cpuTimes();
    const count = await begin();
    const { arrivedAt } = await receiver.take(count);
    const after = cpuTimes();
    const [first, last] = [quantile(arrivedAt, EDGE), quantile(arrivedAt, 1 - EDGE)];
    const perSecond = ((1 - 2 * EDGE) * count * 1000) / (last - first);
    const costs = [(after[0] - before[0]) / count, (after[1] - before[1]) / count, perSecond].map(figure);
    return [title, `${count}`, ...costs, `${AT_LEAST}`, verdict(perSecond >= AT_LEAST)];
  };
  const rows = [await rowOf('from a backlog', () => Promise.resolve(backlog))];
  await postgres.client.query('vacuum analyze');
  const write = () => writeOrders(webhooks, apiKeys, { seconds, perSecond: WRITES_PER_SECOND });
  rows.push(await rowOf(`beside ${WRITES_PER_SECOND} writes/s`, write));
  const header = ['', 'deliveries', 'server µs', 'PostgreSQL µs', 'deliveries/s', 'at least', ''];
  return { title: '### Deliveries per second', header, rows };
}
