import { randomUUIDv7 } from 'node:crypto';
import { CASES, changeTarget, WRITE_CASES } from '../cases/cases.ts';
import type { Progress } from '../comparison/progress.ts';
import { rotated } from '../comparison/rotated.ts';
import { startSubject, type Subject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import { type Load, startLoad } from '../load/load.ts';
import { placeOrders } from '../load/place-orders.ts';
import { type BenchTables, createBenchTables } from './bench-tables.ts';

/** The parameters that determine the duration of a run. Times are in seconds. */
interface DatabasesPlan {
  readonly rounds: number;
  readonly seconds: number;
  /** Load before the first round of a case, so that code is compiled and statements are prepared. */
  readonly warmUpSeconds: number;
  /** Orders that are read. */
  readonly orders: number;
}

export const DATABASES_PLANS = {
  full: { rounds: 8, seconds: 2, warmUpSeconds: 3, orders: 5000 },
  quick: { rounds: 2, seconds: 0.3, warmUpSeconds: 0.3, orders: 500 },
} as const satisfies Readonly<Record<string, DatabasesPlan>>;

/** The number of connections to the server. */
export const CLIENTS = 8;

/** The number of owners. A cluster spreads its rows by owner, so that one owner would measure one node. */
export const OWNERS = 64;

/** The measured cases, with the titles of their rows. */
const MEASURED = {
  get: CASES.get.title,
  create: CASES.create.title,
  cancel: CASES.cancel.title,
  changeWithKey: WRITE_CASES.changeWithKey.title,
} as const;

type MeasuredCase = keyof typeof MEASURED;

const MEASURED_CASES: readonly MeasuredCase[] = ['get', 'create', 'cancel', 'changeWithKey'];

/** The figures of one database in one round. Latencies are in milliseconds. */
export interface Window {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The figures of one case. Each list of windows has one for each round. */
interface DatabasesSeries {
  readonly title: string;
  readonly databases: readonly (readonly Window[])[];
}

export interface DatabasesResult {
  /** The titles of the databases. */
  readonly databases: readonly string[];
  readonly series: readonly DatabasesSeries[];
}

/** A server on one of the databases. */
interface Measurable {
  readonly tables: BenchTables;
  readonly subject: Subject;
  readonly apiKeys: readonly string[];
  readonly ids: readonly string[];
}

/**
 * Measures the server on each database in turns, and drops what it created there.
 *
 * @throws {WrongResponse} a response differs from the expected one
 * @throws {Error} a database is not empty
 */
export async function measureDatabases(
  urls: readonly string[],
  plan: DatabasesPlan,
  progress: Progress,
): Promise<DatabasesResult> {
  progress.begin(MEASURED_CASES.length * plan.rounds * urls.length);
  const load = startLoad();
  const started: Measurable[] = [];
  try {
    for (const url of urls) {
      progress.log(new URL(url).host);
      started.push(await start(url, plan.orders));
    }
    const series: DatabasesSeries[] = [];
    for (const name of MEASURED_CASES) series.push(await measureCase(name, started, load, plan, progress));
    return { databases: started.map(({ tables }) => tables.title), series };
  } finally {
    for (const { subject, tables } of started) {
      await subject.stop();
      await tables.drop();
    }
    await load.stop();
  }
}

async function start(url: string, orders: number): Promise<Measurable> {
  const tables = await createBenchTables(url);
  let subject: Subject | undefined;
  try {
    const apiKeys = await tables.issueKeys(Array.from({ length: OWNERS }, (_, index) => `bench-${index}`));
    subject = await startSubject(SUBJECTS.orders, url, { path: '/v1/orders', apiKey: apiKeys[0] ?? '' });
    return { tables, subject, apiKeys, ids: await placeOrders(subject.port, apiKeys, orders) };
  } catch (cause) {
    await subject?.stop();
    await tables.drop();
    throw cause;
  }
}

async function measureCase(
  name: MeasuredCase,
  started: readonly Measurable[],
  load: Load,
  plan: DatabasesPlan,
  progress: Progress,
): Promise<DatabasesSeries> {
  const windows = new Map<Measurable, Window[]>(started.map((one) => [one, []]));
  const rates = new Map<Measurable, number>();
  for (const one of started) {
    rates.set(one, (await measure(name, one, load, plan.warmUpSeconds, FIRST_RATE)).perSecond);
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const one of rotated(started, round)) {
      progress.step(`${MEASURED[name]}, ${one.tables.title}`);
      const window = await measure(name, one, load, plan.seconds, rates.get(one) ?? FIRST_RATE);
      windows.get(one)?.push(window);
    }
  }
  return { title: MEASURED[name], databases: started.map((one) => windows.get(one) ?? []) };
}

/** An upper bound of the requests per second, as a first estimate of the targets that a window needs. */
const FIRST_RATE = 3000;

async function measure(
  name: MeasuredCase,
  measured: Measurable,
  load: Load,
  seconds: number,
  rate: number,
): Promise<Window> {
  const { subject, apiKeys } = measured;
  const targets = await targetsOf(name, measured, rate * seconds);
  return await load.run({ case: name, port: subject.port, apiKeys, targets, connections: CLIENTS, seconds });
}

/** Returns targets of a case, more than `count` of those that are used once. Each belongs to the key at its place. */
async function targetsOf(
  name: MeasuredCase,
  { subject, apiKeys, ids }: Measurable,
  count: number,
): Promise<readonly string[]> {
  if (name === 'cancel') return await placeOrders(subject.port, apiKeys, count * 1.5);
  if (name !== 'changeWithKey') return ids;
  // A repeated target would be a replay. These cost nothing, unlike new orders.
  const length = Math.ceil((count * 10) / ids.length) * ids.length;
  return Array.from({ length }, (_, place) => changeTarget(ids[place % ids.length] ?? '', randomUUIDv7()));
}
