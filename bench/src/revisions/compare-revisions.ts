import { randomUUIDv7 } from 'node:crypto';
import { ask } from '../cases/answer.ts';
import { CASE_NAMES, type CaseName, CASES, replayTarget } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Progress } from '../comparison/progress.ts';
import { rotated } from '../comparison/rotated.ts';
import { type Spread, spreadOf } from '../comparison/statistics.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import { type Load, startLoad } from '../load/load.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { type Revision, startRevision } from './revision.ts';

/** How long a comparison takes. Times are in seconds. */
interface RevisionsPlan {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the first window of a case, so that the code is compiled. */
  readonly warmUpSeconds: number;
  /** Orders of the owner whose orders are read. */
  readonly orders: number;
}

export const REVISIONS_PLANS = {
  full: { rounds: 16, seconds: 1, warmUpSeconds: 3, orders: 5000 },
  quick: { rounds: 2, seconds: 0.3, warmUpSeconds: 0.3, orders: 500 },
} as const satisfies Readonly<Record<string, RevisionsPlan>>;

/** CPU of the server and PostgreSQL for one request of a case, in microseconds, before and after. */
export interface RevisionsResult {
  readonly case: CaseName;
  readonly before: Spread;
  readonly after: Spread;
  /** `after` as a share of `before`, round by round. */
  readonly ratio: Spread;
  /** How far two windows of `before` in a row differ: what the machine alone changes. */
  readonly noise: Spread;
}

/** The most orders a second that a revision is expected to cancel, as a first guess. */
const CANCELS_PER_SECOND = 3000;
const REPLAYS = 100;

/**
 * Measures the checkout in `folder` and this one in turns, in one run on one PostgreSQL. Each has a database and a
 * server of its own, and each round begins with the other one.
 *
 * @throws {WrongAnswer} a response is not the right one
 */
export async function compareRevisions(
  folder: string,
  own: string,
  plan: RevisionsPlan,
  progress: Progress,
): Promise<readonly RevisionsResult[]> {
  progress.begin(CASE_NAMES.length * plan.rounds * 2);
  const postgres = await startBenchDatabase();
  const load = startLoad();
  const revisions: Revision[] = [];
  try {
    for (const [title, checkout] of [['before', folder] as const, ['after', own] as const]) {
      progress.say(`${title}: ${checkout}`);
      revisions.push(await startRevision(title, checkout, postgres.url, plan.orders));
    }
    const results: RevisionsResult[] = [];
    for (const name of CASE_NAMES) {
      const measure = measurer(name, load, postgres.postmaster);
      results.push(await compareCase(name, revisions, plan, measure, progress));
    }
    return results;
  } finally {
    for (const revision of revisions) await revision.close();
    await load.stop();
    await postgres.stop();
  }
}

type Measure = (revision: Revision, seconds: number) => Promise<number>;

async function compareCase(
  name: CaseName,
  revisions: readonly Revision[],
  plan: RevisionsPlan,
  measure: Measure,
  progress: Progress,
): Promise<RevisionsResult> {
  const costs = new Map<Revision, number[]>(revisions.map((revision) => [revision, []]));
  for (const revision of revisions) {
    await revision.settle();
    await measure(revision, plan.warmUpSeconds);
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const revision of rotated(revisions, round)) {
      progress.step(`${CASES[name].title}, ${revision.subject.title}`);
      costs.get(revision)?.push(await measure(revision, plan.seconds));
    }
  }
  const [before = [], after = []] = [...costs.values()];
  return {
    case: name,
    before: spreadOf(before),
    after: spreadOf(after),
    ratio: spreadOf(after.map((cost, round) => cost / (before[round] ?? Number.NaN))),
    noise: spreadOf(before.slice(1).map((cost, round) => cost / (before[round] ?? Number.NaN))),
  };
}

function measurer(name: CaseName, load: Load, postmaster: number): Measure {
  const replays = new Map<Revision, readonly string[]>();
  return async (revision, seconds) => {
    const { subject, keys } = revision;
    const targets = await targetsOf(name, revision, seconds, replays);
    const apiKeys = [keys[CASES[name].owner]];
    const before = cpuTimeOfTree(subject.pid) + cpuTimeOfTree(postmaster);
    const { requests } = await load.run({
      case: name,
      port: subject.port,
      apiKeys,
      connections: CONNECTIONS,
      targets,
      seconds,
    });
    return (cpuTimeOfTree(subject.pid) + cpuTimeOfTree(postmaster) - before) / requests;
  };
}

async function targetsOf(
  name: CaseName,
  revision: Revision,
  seconds: number,
  replays: Map<Revision, readonly string[]>,
): Promise<readonly string[]> {
  if (name === 'list') return revision.ids.slice(0, 1);
  if (name === 'cancel') return await revision.place(Math.ceil(CANCELS_PER_SECOND * seconds));
  if (name !== 'replay') return revision.ids;
  const targets = replays.get(revision) ?? (await placeWithKeys(revision));
  replays.set(revision, targets);
  return targets;
}

/** Places orders with keys that are used again. */
async function placeWithKeys({ subject, keys }: Revision): Promise<readonly string[]> {
  const targets: string[] = [];
  for (let count = 0; count < REPLAYS; count += 1) {
    const key = randomUUIDv7();
    const { headers } = await ask(subject.port, keys.writer, CASES.create.request(key));
    targets.push(replayTarget(key, headers['location']?.split('/').at(-1) ?? ''));
  }
  return targets;
}
