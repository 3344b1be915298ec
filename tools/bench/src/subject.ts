import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { cpuTimeOfTree, type Server } from '@orders/system-under-test';
import type { Bench } from './bench.ts';
import { type Case, type CaseName, CASES, LARGE, pairTarget } from './cases/cases.ts';
import type { LoadJob } from './load/load-worker.ts';
import { placeOrders } from './load/place-orders.ts';
import { inTurns, rotated, type Rounds } from './turns.ts';

/** A server that is measured by cases, with orders on a database. */
export interface Subject {
  readonly title: string;
  readonly server: Server;
  /** Places the orders that are cancelled and changed, and the keys of others that are replayed: another process of it. */
  readonly placer: Server;
  /** The process id of its PostgreSQL; `null` where it is not known. */
  readonly postgres: number | null;
  /** API keys of the owners whose orders are read and written. A target belongs to the key at its place. */
  readonly keys: Readonly<Record<Case['owner'], readonly string[]>>;
  /** Orders of the reader; the first one is the newest. */
  readonly ids: readonly string[];
  /** Does the work of autovacuum, which is off. */
  settle(): Promise<unknown>;
  /** Resolves once the work is done that follows requests, and belongs to their costs. Default: there is none. */
  readonly finish?: () => Promise<unknown>;
}

/** The number of connections that servers are measured with. */
export const CONNECTIONS = 16;

/** The cost of a request. CPU is in microseconds, latency in milliseconds. */
export interface Cost {
  readonly server: number;
  /** Not a number where the process of PostgreSQL is not known. */
  readonly postgres: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Returns the CPU time of server and PostgreSQL together. */
export const both = ({ server, postgres }: Cost): number => server + postgres;

/** How long an idle server is measured before a turn, in milliseconds. */
const IDLE_MS = 1000;

/** Sends load to a server and returns the cost of a request. */
export async function measure(
  { load }: Bench,
  { server, postgres, finish }: Pick<Subject, 'server' | 'postgres' | 'finish'>,
  job: Omit<LoadJob, 'port' | 'connections'> & { readonly connections?: number },
): Promise<Cost> {
  const pid = server.pid();
  const used = () => [cpuTimeOfTree(pid), postgres === null ? Number.NaN : cpuTimeOfTree(postgres)] as const;
  const during = async <T>(work: () => Promise<T>) => {
    const [begin, before] = [performance.now(), used()];
    const done = await work();
    const after = used();
    return { done, ms: performance.now() - begin, server: after[0] - before[0], postgres: after[1] - before[1] };
  };
  await finish?.();
  const idle = finish && (await during(() => sleep(IDLE_MS)));
  const { done, ...loaded } = await during(() => load.run({ connections: CONNECTIONS, ...job, port: server.port }));
  const { requests, ...report } = done;
  const following = finish && (await during(finish));
  // The wait is longer than the work, and an idle server has a cost of its own.
  const cost = (of: 'server' | 'postgres') =>
    (loaded[of] + (idle && following ? following[of] - (idle[of] * following.ms) / idle.ms : 0)) / requests;
  return { ...report, server: cost('server'), postgres: cost('postgres') };
}

/** The parameters that determine the duration of a comparison by a case. Times are in seconds. */
export interface CasePlan {
  readonly rounds: number;
  /** The approximate duration of a turn. All turns of a subject have the same number of requests. */
  readonly seconds: number;
  /** Load before the first turn, so that the code is compiled: that takes requests, not time. */
  readonly warmUp: Length;
  /** Default: {@link CONNECTIONS}. */
  readonly connections?: number;
}

/**
 * Measures subjects by a case in turns, after a warm-up of each. Returns the costs of each, by its title.
 *
 * @param alike whether each turn has the same number of requests: those of the slowest subject
 * @param start the place of the subject that begins
 */
export async function compareByCase(
  bench: Bench,
  subjects: readonly Subject[],
  name: CaseName,
  { rounds, seconds, warmUp, connections }: CasePlan,
  { alike, start = 0 }: { readonly alike: boolean; readonly start?: number },
): Promise<(title: string) => Rounds<Cost>> {
  const prepared = new Map<Subject, readonly string[]>();
  const turn = async (subject: Subject, length: Length): Promise<Cost> => {
    const targets = await targetsOf(name, subject, length, prepared);
    const apiKeys = subject.keys[CASES[name].owner];
    const extent = connections === undefined ? length : { ...length, connections };
    return await measure(bench, subject, { case: name, apiKeys, targets, ...extent });
  };
  const ordered = rotated(subjects, start);
  const requests = new Map<Subject, number>();
  for (const subject of ordered) {
    bench.progress.step(`${CASES[name].title}, ${subject.title}`);
    await subject.settle();
    const { perSecond } = await turn(subject, warmUp);
    requests.set(subject, Math.ceil(perSecond * seconds));
  }
  const fewest = Math.min(...requests.values());
  const turns = ordered.map((subject) => {
    const length = { requests: alike ? fewest : (requests.get(subject) ?? fewest) };
    return [subject.title, () => turn(subject, length)] as const;
  });
  return await inTurns(rounds, new Map(turns), () => bench.progress.step(CASES[name].title));
}

/** The length of a turn. It ends with the first of both. */
interface Length {
  readonly seconds?: number;
  readonly requests?: number;
}

/** Upper bounds of cancelled orders, of replays and of changes per second, as a first estimate. */
const [CANCELS_PER_SECOND, REPLAYS_PER_SECOND, CHANGES_PER_SECOND] = [3000, 3000, 5000];

const REPLAYS = 100;

/** Orders that are changed in turn: so many that no two requests change one at the same time. */
const CHANGED = 400;

/** Returns the targets of a turn. Those that may be used again are kept in `prepared`. */
async function targetsOf(
  name: CaseName,
  subject: Subject,
  length: Length,
  prepared: Map<Subject, readonly string[]>,
): Promise<readonly string[]> {
  if (name === 'list') return subject.ids.slice(0, 1);
  const { seconds = Infinity, requests = Infinity } = length;
  const count = (perSecond: number) => Math.min(requests, perSecond * seconds);
  if (name === 'cancel' || name === 'cancelWithoutKey') return await place(subject, count(CANCELS_PER_SECOND));
  if (name === 'replayElsewhere') return await placeWithKeys(subject, subject.placer, count(REPLAYS_PER_SECOND));
  const prepare = PREPARED[name];
  if (!prepare) return subject.ids;
  const targets = prepared.get(subject) ?? (await prepare(subject));
  prepared.set(subject, targets);
  if (name === 'replay') return targets;
  // A repeated note would be a replay, or no change.
  return Array.from({ length: count(CHANGES_PER_SECOND) }, (_, at) =>
    pairTarget(targets[at % targets.length] ?? '', randomUUIDv7()),
  );
}

/** Places the orders that the requests of a case replay or change. */
const PREPARED: Readonly<Partial<Record<CaseName, (subject: Subject) => Promise<readonly string[]>>>> = {
  replay: (subject) => placeWithKeys(subject, subject.server, REPLAYS),
  change: (subject) => place(subject, CHANGED),
  changeWithKey: (subject) => place(subject, CHANGED),
  changeLarge: (subject) => place(subject, CHANGED, LARGE),
  changeLargeWithKey: (subject) => place(subject, CHANGED, LARGE),
};

async function place({ placer, keys }: Subject, count: number, placing?: Case) {
  return await placeOrders(placer.port, keys.writer, count, placing);
}

/** Places orders with idempotency keys and returns the targets that replay them. */
async function placeWithKeys({ keys }: Subject, placer: Server, count: number) {
  const used = Array.from({ length: count }, () => randomUUIDv7());
  const ids = await placeOrders(placer.port, keys.writer, count, CASES.create, (at) => used[at] ?? '');
  return ids.map((id, at) => pairTarget(used[at] ?? '', id));
}

/** Places orders of a reader through a server. Returns their ids, the newest one first. */
export async function placeReaders({ url, port }: Server, apiKey: string, count: number): Promise<readonly string[]> {
  const ids = await placeOrders(port, [apiKey], count);
  const client = createOrdersClient({ baseUrl: url, credentials: { apiKey } });
  const [newest] = (await client.list({ limit: 1 }).page())._unsafeUnwrap().data;
  return newest ? [newest.id, ...ids.filter((id) => id !== newest.id)] : ids;
}
