import { randomUUIDv7 } from 'node:crypto';
import { fetchResponse } from '../cases/compared-response.ts';
import { type CaseName, CASES, replayTarget } from '../cases/cases.ts';
import type { Fixture } from '../cases/check-responses.ts';
import { WrongResponse } from '../cases/wrong-response.ts';
import { type BenchDatabase, startBenchDatabase } from '../database/bench-database.ts';
import { countWrites, placeOrders } from '../database/seed.ts';
import { type Load, startLoad } from '../load/load.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { memoryOf } from '../machine/memory.ts';
import type { Measured } from './results.ts';
import { checkFaultDetection } from './self-check.ts';
import { startSubject, type Subject } from './start-subject.ts';
import { SUBJECT_NAMES, type SubjectDefinition, type SubjectName, SUBJECTS } from './subjects.ts';

/** The running processes: PostgreSQL, the servers, and the load generator. */
export interface Bench {
  readonly database: BenchDatabase;
  readonly subjects: Readonly<Record<SubjectName, Subject>>;
  readonly fixture: Fixture;
  /** Sends load of one case to a server and returns the cost. */
  measure(name: SubjectName, measured: CaseName, connections: number, time: Time): Promise<Measured>;
  /** Checks that wrong responses are detected. */
  checkFaultDetection(): Promise<void>;
  /** Starts one more process of a server, and stops it. Returns the duration of the start in milliseconds. */
  start(name: SubjectName): Promise<number>;
  stop(): Promise<void>;
}

/** Durations in seconds. Requests during `before` are not counted. */
interface Time {
  readonly before: number;
  readonly counted: number;
}

const OWNERS = { reader: 'bench-reader', writer: 'bench-writer' } as const;
const REPLAYS = 100;

/** An upper bound of requests per second, as a first estimate of the targets that a window needs. */
const RATE = 5000;

export async function startBench(orders: number, log: (text: string) => void): Promise<Bench> {
  log('PostgreSQL and its orders');
  const database = await startBenchDatabase();
  const load = startLoad();
  const started: Subject[] = [];
  const stop = async () => {
    await Promise.all(started.map((subject) => subject.stop()));
    await load.stop();
    await database.stop();
  };
  try {
    const { client } = database;
    const keys = { reader: await database.issueKey(OWNERS.reader), writer: await database.issueKey(OWNERS.writer) };
    const fixture: Fixture = { client, keys, owners: OWNERS, ids: await placeOrders(client, OWNERS.reader, orders) };
    await database.settle();
    const path = CASES.get.request(fixture.ids[0] ?? '').path;
    const urlOf = (definition: SubjectDefinition) =>
      definition === SUBJECTS.orders ? database.url : database.comparisonUrl;
    const start = async (definition: SubjectDefinition) => {
      log(definition.title);
      await definition.build?.();
      const subject = await startSubject(definition, urlOf(definition), { path, apiKey: keys.reader });
      started.push(subject);
      return subject;
    };
    const entries: [SubjectName, Subject][] = [];
    for (const name of SUBJECT_NAMES) entries.push([name, await start(SUBJECTS[name])]);
    const subjects = recordOf(entries);
    return {
      database,
      subjects,
      fixture,
      measure: measurer(database, load, subjects, fixture),
      checkFaultDetection: async () => {
        log('wrong responses are detected');
        await checkFaultDetection(subjects.orders.port, load, fixture, async (name) =>
          name === 'cancel' ? await placeOrders(client, OWNERS.writer, 100) : fixture.ids,
        );
      },
      start: async (name) => {
        const subject = await startSubject(SUBJECTS[name], urlOf(SUBJECTS[name]), { path, apiKey: keys.reader });
        await subject.stop();
        return subject.startMs;
      },
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

function recordOf(entries: readonly (readonly [SubjectName, Subject])[]): Readonly<Record<SubjectName, Subject>> {
  const found = (name: SubjectName): Subject => {
    const entry = entries.find(([each]) => each === name);
    if (!entry) throw new Error(`${name} was not started`);
    return entry[1];
  };
  return {
    orders: found('orders'),
    fastifyPg: found('fastifyPg'),
    nodeHttp: found('nodeHttp'),
    mikroOrm: found('mikroOrm'),
    expressPrisma: found('expressPrisma'),
    nestTypeOrm: found('nestTypeOrm'),
  };
}

function measurer(
  database: BenchDatabase,
  load: Load,
  subjects: Readonly<Record<SubjectName, Subject>>,
  fixture: Fixture,
): Bench['measure'] {
  const { client, postmaster } = database;
  const replays = new Map<SubjectName, readonly string[]>();
  const rates = new Map<SubjectName, number>();

  const targetsOf = async (name: SubjectName, measured: CaseName, seconds: number): Promise<readonly string[]> => {
    if (measured === 'list') return fixture.ids.slice(0, 1);
    if (measured === 'cancel') {
      return await placeOrders(client, OWNERS.writer, Math.ceil((rates.get(name) ?? RATE) * seconds * 1.5) + 200);
    }
    if (measured !== 'replay') return fixture.ids;
    const targets = replays.get(name) ?? (await placeWithKeys(subjects[name], fixture.keys.writer));
    replays.set(name, targets);
    return targets;
  };

  return async (name, measured, connections, time) => {
    const { port, pid, title } = subjects[name];
    const { owner, writes } = CASES[measured];
    const targets = await targetsOf(name, measured, time.before + time.counted);
    const job = { case: measured, port, apiKeys: [fixture.keys[owner]], connections };
    const before = await load.run({ ...job, targets, seconds: time.before });
    const unused = measured === 'cancel' ? targets.slice(before.requests) : targets;
    const written = await countWrites(client);
    const [server, postgres] = [cpuTimeOfTree(pid), cpuTimeOfTree(postmaster)];
    const { requests, perSecond, p50, p99 } = await load.run({ ...job, targets: unused, seconds: time.counted });
    const [serverAfter, postgresAfter] = [cpuTimeOfTree(pid), cpuTimeOfTree(postmaster)];
    const { events, records } = await countWrites(client);
    const wanted = writes ? requests : 0;
    if (events - written.events !== wanted || records - written.records !== wanted) {
      const stored = `${events - written.events} events and ${records - written.records} idempotency records`;
      throw new WrongResponse(`${title}: ${requests} responses to ${CASES[measured].title} stored ${stored}`);
    }
    if (measured === 'cancel') rates.set(name, perSecond);
    return {
      server: (serverAfter - server) / requests,
      postgres: (postgresAfter - postgres) / requests,
      perSecond,
      p50,
      p99,
      memory: memoryOf(pid).now,
    };
  };
}

/** Places orders through a server and returns the targets that replay them. */
async function placeWithKeys({ port }: Subject, apiKey: string): Promise<readonly string[]> {
  const targets: string[] = [];
  for (let count = 0; count < REPLAYS; count += 1) {
    const key = randomUUIDv7();
    const { headers } = await fetchResponse(port, apiKey, CASES.create.request(key));
    targets.push(replayTarget(key, headers['location']?.split('/').at(-1) ?? ''));
  }
  return targets;
}
