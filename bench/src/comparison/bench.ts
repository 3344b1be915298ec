import { randomUUIDv7 } from 'node:crypto';
import { ask } from '../cases/compared-response.ts';
import { type CaseName, CASES, replayTarget } from '../cases/cases.ts';
import type { Known } from '../cases/check-responses.ts';
import { WrongAnswer } from '../cases/wrong-response.ts';
import { type BenchDatabase, startBenchDatabase } from '../database/bench-database.ts';
import { countWrites, placeOrders } from '../database/seed.ts';
import { type Load, startLoad } from '../load/load.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { memoryOf } from '../machine/memory.ts';
import type { Measured } from './results.ts';
import { checkThatLiesAreNoticed } from './self-check.ts';
import { startSubject, type Subject } from './start-subject.ts';
import { SUBJECT_NAMES, type SubjectDefinition, type SubjectName, SUBJECTS } from './subjects.ts';

/** Everything that takes part: PostgreSQL, the servers, and the process that asks them. */
export interface Bench {
  readonly database: BenchDatabase;
  readonly subjects: Readonly<Record<SubjectName, Subject>>;
  readonly known: Known;
  /** Loads a server with a case and tells what it cost. */
  measure(name: SubjectName, measured: CaseName, connections: number, time: Time): Promise<Measured>;
  /** Sees that wrong answers do not go unnoticed. */
  checkItself(): Promise<void>;
  /** Starts one more process of a server, and ends it. Answers with how long the start took, in milliseconds. */
  start(name: SubjectName): Promise<number>;
  stop(): Promise<void>;
}

/** In seconds; what happens in the time before is not counted. */
interface Time {
  readonly before: number;
  readonly counted: number;
}

const OWNERS = { reader: 'bench-reader', writer: 'bench-writer' } as const;
const REPLAYS = 100;

/** The most that any server answers in a second, as a first guess of how many targets a window takes. */
const RATE = 5000;

export async function startBench(orders: number, say: (what: string) => void): Promise<Bench> {
  say('PostgreSQL and its orders');
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
    const known: Known = { client, keys, owners: OWNERS, ids: await placeOrders(client, OWNERS.reader, orders) };
    await database.settle();
    const path = CASES.get.request(known.ids[0] ?? '').path;
    const urlOf = (definition: SubjectDefinition) =>
      definition === SUBJECTS.orders ? database.url : database.comparisonUrl;
    const start = async (definition: SubjectDefinition) => {
      say(definition.title);
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
      known,
      measure: measurer(database, load, subjects, known),
      checkItself: async () => {
        say('lies are noticed');
        await checkThatLiesAreNoticed(subjects.orders.port, load, known, async (name) =>
          name === 'cancel' ? await placeOrders(client, OWNERS.writer, 100) : known.ids,
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
  known: Known,
): Bench['measure'] {
  const { client, postmaster } = database;
  const replays = new Map<SubjectName, readonly string[]>();
  const rates = new Map<SubjectName, number>();

  const targetsOf = async (name: SubjectName, measured: CaseName, seconds: number): Promise<readonly string[]> => {
    if (measured === 'list') return known.ids.slice(0, 1);
    if (measured === 'cancel') {
      return await placeOrders(client, OWNERS.writer, Math.ceil((rates.get(name) ?? RATE) * seconds * 1.5) + 200);
    }
    if (measured !== 'replay') return known.ids;
    const targets = replays.get(name) ?? (await placeWithKeys(subjects[name], known.keys.writer));
    replays.set(name, targets);
    return targets;
  };

  return async (name, measured, connections, time) => {
    const { port, pid, title } = subjects[name];
    const { owner, writes } = CASES[measured];
    const targets = await targetsOf(name, measured, time.before + time.counted);
    const order = { case: measured, port, apiKeys: [known.keys[owner]], connections };
    const before = await load.run({ ...order, targets, seconds: time.before });
    const left = measured === 'cancel' ? targets.slice(before.requests) : targets;
    const written = await countWrites(client);
    const [server, postgres] = [cpuTimeOfTree(pid), cpuTimeOfTree(postmaster)];
    const { requests, perSecond, p50, p99 } = await load.run({ ...order, targets: left, seconds: time.counted });
    const [serverAfter, postgresAfter] = [cpuTimeOfTree(pid), cpuTimeOfTree(postmaster)];
    const { events, records } = await countWrites(client);
    const wanted = writes ? requests : 0;
    if (events - written.events !== wanted || records - written.records !== wanted) {
      const left = `${events - written.events} events and ${records - written.records} records of keys`;
      throw new WrongAnswer(`${title}: ${requests} answers to ${CASES[measured].title} left ${left}`);
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

/** Places orders through a server, to ask for them again. */
async function placeWithKeys({ port }: Subject, apiKey: string): Promise<readonly string[]> {
  const targets: string[] = [];
  for (let count = 0; count < REPLAYS; count += 1) {
    const key = randomUUIDv7();
    const { headers } = await ask(port, apiKey, CASES.create.request(key));
    targets.push(replayTarget(key, headers['location']?.split('/').at(-1) ?? ''));
  }
  return targets;
}
