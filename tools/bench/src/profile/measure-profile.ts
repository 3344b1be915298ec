import { cpuTimeOfThreads, freePort } from '@orders/system-under-test';
import { z } from 'zod';
import { startCheckout } from '../against/checkout.ts';
import { type Bench, startBenchPostgres } from '../bench.ts';
import { type CaseName, CASES } from '../cases/cases.ts';
import { describeRun } from '../describe-run.ts';
import { figure, formatReport, median } from '../report.ts';
import { compareByCase, type Subject } from '../subject.ts';
import { byRound } from '../turns.ts';
import { type Attributed, attributeSamples, CpuProfile, PART_TITLES } from './attribute-samples.ts';

/** Until eight seconds of load have passed, the compilers of V8 take up to a third of the CPU time on threads of their own. */
const PLANS = {
  full: { rounds: 5, seconds: 0.5, warmUp: { requests: 30_000, seconds: 20 }, orders: 2000 },
  quick: { rounds: 1, seconds: 0.05, warmUp: { seconds: 0.1 }, orders: 200 },
};

const PROFILER = new URL('profiler.ts', import.meta.url);
const Response = z.object({ profile: CpuProfile });

/** The number of functions that are listed by themselves. */
const FUNCTIONS = 40;

/** The cost of a case in microseconds for each request. */
interface ProfiledCase {
  readonly title: string;
  readonly postgres: number;
  readonly otherThreads: number;
  readonly attributed: Attributed;
}

/** Measures where the CPU time of a request goes: by load without a profiler, and divided as under one. */
export async function measureProfile(bench: Bench, folder: string, cases: readonly CaseName[]): Promise<string> {
  const plan = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const port = await freePort();
  const flags = ['--import', `${PROFILER.href}?${port}`];
  const subject = await startCheckout(bench, postgres, 'profiled', folder, plan.orders, flags);
  const profiled: ProfiledCase[] = [];
  for (const name of cases) {
    const costs = await compareByCase(bench, [subject], name, plan, { alike: false });
    const rounds = costs(subject.title);
    const { profiles, otherThreads } = await profile(bench, subject, name, `http://127.0.0.1:${port}`);
    const server = median(byRound(rounds, (cost) => cost.server));
    profiled.push({
      title: CASES[name].title,
      postgres: median(byRound(rounds, (cost) => cost.postgres)),
      otherThreads: server * otherThreads,
      attributed: scaled(attributeSamples(profiles), server * (1 - otherThreads)),
    });
  }
  const sections = [partsSection(profiled), ...(profiled.length === 1 ? profiled.map(functionsSection) : [])];
  return formatReport(
    `${await describeRun(postgres.client)}\n- ${plan.rounds} rounds of 2 × ${plan.seconds} s`,
    sections,
  );
}

/** Sends load to a server under its profiler. Returns also the share of its CPU time outside of the main thread. */
async function profile(bench: Bench, subject: Subject, name: CaseName, profiler: string) {
  const profiles: z.infer<typeof CpuProfile>[] = [];
  const pid = subject.server.pid();
  const [time, mainTime] = [{ main: 0, all: 0 }, () => cpuTimeOfThreads(pid, `${pid}`)];
  const load = {
    ...bench.load,
    run: async (job: Parameters<typeof bench.load.run>[0]) => {
      await fetch(`${profiler}/start`);
      const before = [mainTime(), cpuTimeOfThreads(pid)] as const;
      const report = await bench.load.run(job);
      time.main += mainTime() - before[0];
      time.all += cpuTimeOfThreads(pid) - before[1];
      const response = await fetch(`${profiler}/stop`);
      profiles.push(Response.parse(await response.json()).profile);
      return report;
    },
  };
  const { seconds } = PLANS[bench.length];
  const plan = { rounds: 1, seconds: 2 * seconds, warmUp: { seconds } };
  await compareByCase({ ...bench, load }, [subject], name, plan, { alike: false });
  return { profiles, otherThreads: 1 - time.main / time.all };
}

/** Scales times to a sum. */
function scaled({ byPart, byFunction }: Attributed, sum: number): Attributed {
  const factor = sum / [...byPart.values()].reduce((total, time) => total + time, 0);
  const scale = (times: ReadonlyMap<string, number>) =>
    new Map([...times].map(([name, time]) => [name, time * factor]));
  return { byPart: scale(byPart), byFunction: scale(byFunction) };
}

function partsSection(cases: readonly ProfiledCase[]) {
  const parts = PART_TITLES.map((title) => [
    title,
    ...cases.map(({ attributed }) => figure(attributed.byPart.get(title) ?? 0)),
  ]);
  return {
    title: '### Where the time of a request goes, in µs of CPU',
    header: ['', ...cases.map(({ title }) => title)],
    rows: [
      ...parts,
      ['other threads', ...cases.map(({ otherThreads }) => figure(otherThreads))],
      ['PostgreSQL', ...cases.map(({ postgres }) => figure(postgres))],
    ],
  };
}

function functionsSection({ title, attributed: { byFunction } }: ProfiledCase) {
  const dearest = [...byFunction].toSorted(([, left], [, right]) => right - left).slice(0, FUNCTIONS);
  return {
    title: `### The dearest functions of ${title}`,
    header: ['', 'µs'],
    rows: dearest.map(([name, time]) => [name, figure(time)]),
  };
}
