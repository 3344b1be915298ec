import { issueKeys, UNLIMITED } from '@orders/system-under-test';
import { type Database, distribute, openDatabase } from '@orders/persistence';
import type { Client } from 'pg';
import type { Bench } from './bench.ts';
import { CASES } from './cases/cases.ts';
import { placeOrders } from './load/place-orders.ts';
import { figure, formatReport, median, type Section, spread } from './report.ts';
import { compareByCase, type Subject } from './subject.ts';
import { byRound, ratios } from './turns.ts';

const PLANS = {
  full: { rounds: 4, seconds: 2, warmUp: { seconds: 3 }, connections: 8, orders: 5000 },
  quick: { rounds: 1, seconds: 0.3, warmUp: { seconds: 0.3 }, connections: 8, orders: 500 },
};

/** The number of owners. A cluster spreads its rows by owner, so that one owner would measure one node. */
const OWNERS = 64;

const MEASURED = ['get', 'create', 'cancel', 'changeWithKey'] as const;

/**
 * Measures the server on each database in turns, and drops what it created there. Returns the rates and latencies beside
 * those of the first database.
 *
 * @throws {WrongResponse} a response differs from the expected one
 * @throws {Error} a database is not empty
 */
export async function measureDatabases(bench: Bench, urls: readonly string[]): Promise<string> {
  const plan = PLANS[bench.length];
  const subjects: Subject[] = [];
  for (const [at, url] of urls.entries()) subjects.push(await startOn(bench, at + 1, url, plan.orders));
  const rows: (readonly string[])[] = [];
  for (const name of MEASURED) {
    const of = await compareByCase(bench, subjects, name, plan, { alike: false });
    const rates = subjects.map(({ title }) => byRound(of(title), ({ perSecond }) => perSecond));
    for (const [at, { title }] of subjects.entries()) {
      rows.push([
        `${CASES[name].title}, ${at + 1}`,
        spread(rates[at] ?? []),
        figure(median(byRound(of(title), ({ p50 }) => p50))),
        figure(median(byRound(of(title), ({ p99 }) => p99))),
        at === 0 ? '' : spread(ratios(rates[0] ?? [], rates[at] ?? [])),
      ]);
    }
  }
  const title = `${plan.connections} connections, ${OWNERS} owners. Medians of the rounds, with the lowest and the highest.`;
  const section: Section = { title, header: ['', 'requests/s', 'p50 ms', 'p99 ms', 'share of 1'], rows };
  return formatReport(subjects.map((subject) => subject.title).join('\n'), [section]);
}

async function startOn(bench: Bench, number: number, databaseUrl: string, count: number): Promise<Subject> {
  const { host, pathname } = new URL(databaseUrl);
  const client = await bench.connect(databaseUrl);
  const database = openDatabase({ url: databaseUrl });
  bench.atEnd(() => database.close());
  const { rows: schemas } = await client.query(`select from pg_namespace where oid = to_regnamespace('orders')`);
  if (schemas.length > 0) throw new Error(`${host}${pathname} has a schema orders: name a database without it`);
  bench.atEnd(() => client.query('drop schema if exists orders cascade'));
  await database.migrate();
  const nodes = await distributedOver(client, database);
  const { rows } = await client.query<{ readonly server_version: string }>('show server_version');
  const release = `PostgreSQL ${rows[0]?.server_version.replace(/ .*/, '') ?? ''}`;
  const owners = Array.from({ length: OWNERS }, (_, index) => `bench-${index}`);
  const apiKeys = await issueKeys(databaseUrl, owners);
  const server = await bench.serve({ databaseUrl, env: UNLIMITED });
  return {
    title: `${number}. ${host}${pathname}, ${release}${nodes === 0 ? '' : `, Citus with ${nodes} nodes of shards`}`,
    server,
    placer: server,
    postgres: null,
    keys: { reader: apiKeys, writer: apiKeys },
    ids: await placeOrders(server.port, apiKeys, count),
    settle: () => Promise.resolve(),
  };
}

/** Distributes the tables if the database has the extension Citus. Returns the number of nodes with shards. */
async function distributedOver(client: Client, database: Database): Promise<number> {
  const { rows } = await client.query(`select from pg_extension where extname = 'citus'`);
  if (rows.length === 0) return 0;
  await distribute(database);
  const nodes = await client.query<{ readonly count: string }>(
    `select count(distinct (nodename, nodeport)) as count from citus_shards`,
  );
  return Number(nodes.rows[0]?.count);
}
