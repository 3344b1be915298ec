import { randomUUIDv7 } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import { cpuTimeOfTree } from './cpu-time.ts';
import { type CaseRequest, load } from './load.ts';
import { startSubject, type Subject } from './subject.ts';

/**
 * Measures the server as shipped beside the least that could do the same work, on one PostgreSQL, in interleaved
 * rounds: CPU per request of the server and of PostgreSQL, requests a second, latency; medians and ratios.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const ROUNDS = values.quick ? 3 : 5;
const SECONDS = values.quick ? 2 : 5;
const CONNECTIONS = 16;
const ORDERS = 20_000;
const OWNER = 'bench';

interface Case {
  readonly name: string;
  readonly status: number;
  readonly next: () => CaseRequest;
}

interface Row {
  readonly server: number;
  readonly postgres: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const dataDir = await mkdtemp(join(tmpdir(), 'orders-bench-'));
const postgres = await startEmbeddedPostgres({ dataDir, settings: { max_connections: '60' } });
const subjects: Subject[] = [];
try {
  const key = await prepareDatabase(postgres.url);
  const ids = await placeOrders(postgres.url, ORDERS);
  for (const name of ['orders', 'node:http + pg'] as const) subjects.push(await startSubject(name, postgres.url));
  const postmaster = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  for (const measured of cases(ids)) await measure(measured, key, postmaster);
} finally {
  for (const subject of subjects) await subject.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function prepareDatabase(url: string): Promise<string> {
  const database = openDatabase({ url });
  await database.migrate();
  const { key, prefix, hash } = newApiKey();
  const created_at = new Date().toISOString();
  const values = { keyHash: hash, prefix, owner: OWNER, scopes: SCOPES, created_at, expires_at: null };
  const inserted = await postgresApiKeys(database).insert(values);
  await database.close();
  if (inserted.isErr()) throw inserted.error.cause;
  return key;
}

/** Orders of three items each, a second apart, and fresh statistics. */
async function placeOrders(url: string, count: number): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into orders (owner_id, id, status, currency, total_amount, item_count, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), 'pending', 'EUR', 8970, 3, '{"channel":"web"}', 1, t, t
     from generate_series(1, $2::int) n, lateral (select now() - n * interval '1 second') as at (t)`,
    [OWNER, count],
  );
  await client.query(
    `insert into order_items
     select owner_id, id, line, gen_random_uuid(), 'MUG-330-' || line, 'Stoneware mug 330 ml', 1, 2990, 2990
     from orders, generate_series(0, 2) line`,
  );
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ id: string }>('select id from orders order by random()');
  await client.end();
  return rows.map(({ id }) => id);
}

function cases(ids: readonly string[]): readonly Case[] {
  const json = { 'content-type': 'application/json' };
  const unit_price = { amount: 2990, currency: 'EUR' };
  const item = (line: number) => ({ sku: `MUG-330-${line}`, name: 'Stoneware mug 330 ml', quantity: 1, unit_price });
  const body = JSON.stringify({ items: [item(0), item(1), item(2)] });
  let read = 0;
  const get = (): CaseRequest => ({ method: 'GET', path: `/v1/orders/${ids[read++ % ids.length]}` });
  const list = (): CaseRequest => ({ method: 'GET', path: '/v1/orders' });
  const create = (): CaseRequest => ({
    method: 'POST',
    path: '/v1/orders',
    headers: { ...json, 'idempotency-key': randomUUIDv7() },
    body,
  });
  return [
    { name: 'get', status: 200, next: get },
    { name: 'list 20', status: 200, next: list },
    { name: 'create with key', status: 201, next: create },
  ];
}

async function measure({ name, status, next }: Case, key: string, postmaster: number): Promise<void> {
  const rounds = new Map<Subject, Row[]>(subjects.map((subject) => [subject, []]));
  for (const { url } of subjects) await load(url, key, next, status, 1, CONNECTIONS); // Warm-up.
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const [{ name: subject, url, pid }, rows] of rounds) {
      process.stderr.write(`\r${name}: round ${round} of ${ROUNDS}, ${subject}        `);
      const before = [cpuTimeOfTree(pid), cpuTimeOfTree(postmaster)] as const;
      const { requests, perSecond, p50, p99 } = await load(url, key, next, status, SECONDS, CONNECTIONS);
      const server = (cpuTimeOfTree(pid) - before[0]) / requests;
      const database = (cpuTimeOfTree(postmaster) - before[1]) / requests;
      rows.push({ server, postgres: database, perSecond, p50, p99 });
    }
  }
  process.stderr.write('\r');
  print(name, rounds);
}

function print(name: string, rounds: ReadonlyMap<Subject, readonly Row[]>): void {
  const total = ({ server, postgres: database }: Row) => server + database;
  const sums = [...rounds.values()].map((rows) => median(rows.map(total)));
  const limit = sums.at(-1) ?? Number.NaN;
  console.log(`${name.padEnd(50)}  CPU µs: server + PostgreSQL   of the limit   req/s    p50   p99 ms`);
  for (const [index, [subject, rows]] of [...rounds].entries()) {
    const of = (pick: (row: Row) => number) => median(rows.map(pick)).toFixed(0);
    const ratio = ((sums[index] ?? Number.NaN) / limit).toFixed(2);
    const cpu = `${of((row) => row.server).padStart(12)} + ${of((row) => row.postgres)}`;
    const latency = `${of((row) => row.p50).padStart(6)}${of((row) => row.p99).padStart(6)}`;
    console.log(
      `  ${subject.name.padEnd(48)}${cpu.padEnd(30)}${ratio.padStart(10)}${of((row) => row.perSecond).padStart(12)}${latency}`,
    );
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
