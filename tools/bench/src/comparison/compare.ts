import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKeys, residentMiB, waitFor } from '@orders/system-under-test';
import { type Bench, type BenchPostgres, startBenchPostgres } from '../bench.ts';
import { type ComparedCase, CASES } from '../cases/cases.ts';
import { COMPARED_PACKAGES, describeRun } from '../describe-run.ts';
import { figure, formatReport, limit, median, ratioRow, type Section, spread } from '../report.ts';
import { both, compareByCase, CONNECTIONS, type Cost, placeReaders, type Subject } from '../subject.ts';
import { byRound, ratios, type Rounds } from '../turns.ts';
import { checkRejections, checkResponses, type Fixture } from './check-responses.ts';
import { COMPARISON_SERVERS, type ComparedServer, installComparisonServers, ORDERS } from './servers.ts';

const PLANS = {
  full: { rounds: 8, seconds: 0.5, warmUp: { requests: 20_000, seconds: 15 }, orders: 5000 },
  quick: { rounds: 1, seconds: 0.05, warmUp: { seconds: 0.1 }, orders: 200 },
};

const BY_HAND = 'Fastify + pg by hand';

type Goals = Readonly<Partial<Record<ComparedCase, number>>>;
const OF_LIMIT: Goals = { get: 1.1, list: 1.1, replay: 1.5, replayElsewhere: 1.5, cancel: 1.5, cancelWithoutKey: 1.5 };
const OF_HAND: Goals = { replay: 1, replayElsewhere: 1, cancel: 0.75, cancelWithoutKey: 0.75 };

/** The highest ratio of the cost of Orders to that of another server, by case. */
const GOALS: Readonly<Record<string, (name: ComparedCase) => number>> = {
  'node:http + pg, the limit': (name) => OF_LIMIT[name] ?? 1.25,
  [BY_HAND]: (name) => OF_HAND[name] ?? 0.8,
  'Fastify + MikroORM': () => 0.4,
  'Express + Prisma': () => 0.4,
  'NestJS + TypeORM': () => 0.4,
};

/** The highest ratio of a p99 to that of the limit, and of the memory to that of the server by hand. */
const [P99_MAX, MEMORY_MAX] = [1.3, 1.4];

/** The connections of a crowd, in which Orders is compared with the first two servers. */
const CROWD = 128;

/**
 * Whether Orders has counted the orders of an owner, whose events get their positions first. Both are found by an index: a look
 * that reads the table would count as work of Orders.
 */
const COUNTED = `
  select not exists (select from orders.changes as c where c.owner_id = $1 and c.position is null and c.type is not null)
    and not exists (select from orders.changes as c where c.owner_id = $1 and c.position > (
      select k.position from orders.checkpoints as k where k.owner_id = $1 and k.name = 'orders.statistics')) as is_counted`;
/** The longest time that this takes, and the time between two looks, in milliseconds. */
const [COUNTED_MS, COUNTED_EVERY_MS] = [60_000, 250];

const SCHEMA = readFileSync(new URL('comparison-schema.sql', import.meta.url), 'utf8');
const OWNERS = { reader: 'bench-reader', writer: 'bench-writer' } as const;

/**
 * Measures Orders and the comparison servers by cases in turns.
 *
 * @throws {WrongResponse} a server does not do the same work as Orders
 */
export async function compare(bench: Bench, cases: readonly ComparedCase[]): Promise<string> {
  const plan = PLANS[bench.length];
  await installComparisonServers();
  const postgres = await startBenchPostgres(bench);
  const [reader = '', writer = ''] = await issueKeys(postgres.url, [OWNERS.reader, OWNERS.writer]);
  await postgres.client.query(`${SCHEMA}; reset search_path`);
  const start = (server: ComparedServer, placed?: readonly string[]) =>
    startSubject(bench, postgres, server, { reader, writer }, placed ?? plan.orders);
  const orders = await start(ORDERS);
  const others: Subject[] = [];
  for (const server of COMPARISON_SERVERS) others.push(await start(server, others[0]?.ids));
  const fixture: Fixture = { client: postgres.client, writer: OWNERS.writer };
  for (const other of others) await checkRejections(orders, other);
  const subjects = [orders, ...others];
  const sections: Section[] = [];
  const latencies: (readonly string[])[] = [];
  const measureCase = async (name: ComparedCase, among: readonly Subject[], connections: number) => {
    const of = await compareByCase(bench, among, name, { ...plan, connections }, { alike: false });
    const [ours, least] = among.map(({ title }) => byRound(of(title), ({ p99 }) => p99));
    if (ours && least) latencies.push(ratioRow(`${CASES[name].title}, ${connections}`, least, ours, P99_MAX));
    return of;
  };
  for (const name of cases) {
    for (const other of others) await checkResponses(name, orders, other, fixture);
    sections.push(caseSection(name, subjects, await measureCase(name, subjects, CONNECTIONS)));
  }
  const memory = memorySection(subjects);
  for (const name of cases) await measureCase(name, subjects.slice(0, 3), CROWD);
  const latency = ['case, connections', 'p99 ms of the limit', 'of Orders', 'ratio', 'at most', ''];
  sections.push({ title: '**latency**', header: latency, rows: latencies }, memory);
  const run = await describeRun(postgres.client, COMPARED_PACKAGES);
  return formatReport(`${run}\n- ${plan.rounds} rounds of 2 × ${plan.seconds} s, ${CONNECTIONS} connections`, sections);
}

/** Returns what each server has in memory after the load of all cases. */
function memorySection(subjects: readonly Subject[]): Section {
  const [ours = 0, ...rest] = subjects.map(({ server }) => residentMiB(server.pid()));
  const rows = rest.map((other, at) => {
    const { title = '' } = subjects[at + 1] ?? {};
    const share = ours / other;
    return [title, figure(other), figure(share), ...limit(share, title === BY_HAND ? MEMORY_MAX : null)];
  });
  const header = ['', 'resident MiB', 'Orders as a share', 'at most', ''];
  return { title: '**memory after the load**', header, rows: [[ORDERS.title, figure(ours), '', '', ''], ...rows] };
}

async function startSubject(
  bench: Bench,
  { url, client, pid }: BenchPostgres,
  { title, schema, script, env = {} }: ComparedServer,
  { reader, writer }: Readonly<Record<'reader' | 'writer', string>>,
  placed: readonly string[] | number,
): Promise<Subject> {
  bench.progress.step(title);
  const options = {
    databaseUrl: schema === undefined ? url : `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`,
    script: await script(bench.folder),
    env: { DATABASE_POOL_MAX: '10', ...env },
    probe: { path: '/v1/orders', headers: { 'x-api-key': reader } },
  };
  const server = await bench.serve(options);
  const isCounted = async () => {
    await sleep(COUNTED_EVERY_MS);
    const { rows } = await client.query<{ readonly is_counted: boolean }>(COUNTED, [OWNERS.writer]);
    return rows[0]?.is_counted || undefined;
  };
  return {
    title,
    server,
    // What it places is counted by the server that is measured.
    placer: await bench.serve({ ...options, env: { ...options.env, STATISTICS: 'off' } }),
    postgres: pid,
    keys: { reader: [reader], writer: [writer] },
    // The comparison servers share their tables.
    ids: typeof placed === 'number' ? await placeReaders(server, reader, placed) : placed,
    settle: () => client.query('vacuum analyze'),
    // Orders numbers and counts orders a few seconds later, which would be charged to the turns of others.
    ...(title === ORDERS.title && { finish: () => waitFor('the figures of all orders', COUNTED_MS, isCounted) }),
  };
}

function caseSection(name: ComparedCase, subjects: readonly Subject[], of: (title: string) => Rounds<Cost>): Section {
  const ours = byRound(of(ORDERS.title), both);
  const rows = subjects.map(({ title }) => {
    const rounds = of(title);
    const typical = (pick: (cost: Cost) => number) => figure(median(byRound(rounds, pick)));
    const share = ratios(byRound(rounds, both), ours);
    return [
      title,
      typical(({ server }) => server),
      typical(({ postgres }) => postgres),
      spread(byRound(rounds, both)),
      ...(title === ORDERS.title
        ? ['', '', '']
        : [spread(share), ...limit(median(share), GOALS[title]?.(name) ?? null)]),
      spread(byRound(rounds, ({ perSecond }) => perSecond)),
      typical(({ p50 }) => p50),
      typical(({ p99 }) => p99),
    ];
  });
  const costs = ['server µs', 'PostgreSQL µs', 'CPU µs', 'Orders as a share', 'at most', ''];
  return { title: `**${CASES[name].title}**`, header: ['', ...costs, 'requests/s', 'p50 ms', 'p99 ms'], rows };
}
