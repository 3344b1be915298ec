import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endingWithParent } from '@orders/child-processes';
import { CASE_NAMES, type CaseName, CASES } from '../cases/cases.ts';
import { type ComparedServer, checkResponses, checkRejections } from '../cases/check-responses.ts';
import { describeRun } from '../machine/describe.ts';
import { memoryOf } from '../machine/memory.ts';
import { type Bench, startBench } from './bench.ts';
import { CONNECTIONS, EDGES, type Plan } from './plan.ts';
import type { Progress } from './progress.ts';
import type { Measured, Results, Series } from './results.ts';
import { rotated } from './rotated.ts';
import { COMPARISON_SERVERS, EDGE_SUBJECTS, SUBJECT_NAMES, type SubjectName } from './subjects.ts';

/**
 * Runs every case on every subject in rounds. Each round measures all subjects one after the other and starts with a
 * different one, so that a temporary disturbance of the machine affects them all.
 *
 * @throws {WrongResponse} a subject does not do the same work as Orders
 */
export async function compare(plan: Plan, progress: Progress): Promise<Results> {
  await installComparisonServers();
  progress.begin(stepsOf(plan));
  const bench = await startBench(plan.orders, (text) => progress.log(text));
  try {
    await bench.checkFaultDetection();
    await checkAllRejections(bench);
    const series: Series[] = [];
    for (const name of CASE_NAMES) series.push(...(await measureCase(bench, name, plan, progress)));
    return {
      series,
      starts: await measureStarts(bench, plan, progress),
      memory: Object.fromEntries(SUBJECT_NAMES.map((name) => [name, memoryOf(bench.subjects[name].pid).peak])),
      run: await describeRun(bench.database.client, { compared: true }),
      rounds: plan.rounds,
      seconds: plan.seconds,
    };
  } finally {
    await bench.stop();
  }
}

/** Returns a subject and a reader on the same tables. No other subject uses the tables of Orders, which reads its own. */
function comparedServer(subjects: Bench['subjects'], name: SubjectName): ComparedServer {
  const readers: Partial<Readonly<Record<SubjectName, SubjectName>>> = { orders: 'orders', nodeHttp: 'fastifyPg' };
  const { title, port } = subjects[name];
  return { title, port, readerPort: subjects[readers[name] ?? 'nodeHttp'].port };
}

async function checkAllRejections({ subjects, fixture }: Bench): Promise<void> {
  for (const name of SUBJECT_NAMES)
    await checkRejections(comparedServer(subjects, 'orders'), comparedServer(subjects, name), fixture);
}

async function measureCase(bench: Bench, name: CaseName, plan: Plan, progress: Progress): Promise<readonly Series[]> {
  const windows = new Map<string, { readonly series: Omit<Series, 'windows'>; readonly windows: Measured[] }>();
  const measure = async (subject: SubjectName, connections: number, before: number, counted: number) => {
    progress.step(`${CASES[name].title}, ${connections} connections, ${bench.subjects[subject].title}`);
    const measured = await bench.measure(subject, name, connections, { before, counted });
    const key = `${subject} ${connections}`;
    const entry = windows.get(key) ?? { series: { subject, case: name, connections }, windows: [] };
    windows.set(key, entry);
    entry.windows.push(measured);
  };
  for (let round = 0; round < plan.rounds; round += 1) {
    await bench.database.settle();
    for (const subject of SUBJECT_NAMES) {
      await checkResponses(
        name,
        comparedServer(bench.subjects, 'orders'),
        comparedServer(bench.subjects, subject),
        bench.fixture,
      );
    }
    const before = round === 0 ? plan.warmUpSeconds : plan.settleSeconds;
    for (const subject of rotated(SUBJECT_NAMES, round)) await measure(subject, CONNECTIONS, before, plan.seconds);
    if (round >= plan.edgeRounds) continue;
    for (const connections of EDGES) {
      for (const subject of rotated(EDGE_SUBJECTS, round)) {
        await measure(subject, connections, plan.settleSeconds, plan.edgeSeconds);
      }
    }
  }
  return [...windows.values()].map(({ series, windows: measured }) => ({ ...series, windows: measured }));
}

async function measureStarts(bench: Bench, plan: Plan, progress: Progress): Promise<Results['starts']> {
  const starts = new Map<SubjectName, number[]>(SUBJECT_NAMES.map((name) => [name, []]));
  for (let round = 0; round < plan.starts; round += 1) {
    for (const name of rotated(SUBJECT_NAMES, round)) {
      progress.step(`start, ${bench.subjects[name].title}`);
      starts.get(name)?.push(await bench.start(name));
    }
  }
  return Object.fromEntries(starts);
}

function stepsOf(plan: Plan): number {
  const edges = EDGE_SUBJECTS.length * EDGES.length * plan.edgeRounds;
  return CASE_NAMES.length * (SUBJECT_NAMES.length * plan.rounds + edges) + SUBJECT_NAMES.length * plan.starts;
}

/**
 * Installs the dependencies of the comparison servers if they are missing. The progress of pnpm goes to standard error.
 *
 * @throws {Error} the process was not started by pnpm, or the installation failed
 */
async function installComparisonServers(): Promise<void> {
  const pnpm = process.env['npm_execpath'];
  if (pnpm === undefined) throw new Error('start the benchmark with `pnpm bench`: it installs the comparison servers');
  const install = spawn(...endingWithParent(pnpm, ['install', '--frozen-lockfile', '--prefer-offline']), {
    cwd: COMPARISON_SERVERS,
    // Standard output is the report's.
    stdio: ['pipe', 2, 'inherit'],
  });
  await once(install, 'exit');
  if (install.exitCode !== 0) throw new Error('the comparison servers could not be installed');
}
