import { randomUUIDv7 } from 'node:crypto';
import { fetchResponse } from '../cases/compared-response.ts';
import { CASE_NAMES, CASES, changeTarget, LARGE, LOAD_CASES, replayTarget, WRITE_CASE_NAMES } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Progress } from '../comparison/progress.ts';
import { rotated } from '../comparison/rotated.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import { type Load, startLoad } from '../load/load.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { type Revision, startRevision } from './revision.ts';

/** The parameters that determine the duration of a comparison. Times are in seconds. */
interface RevisionsPlan {
  /** Starts of each server. The same code is not compiled in the same way each time. */
  readonly starts: number;
  /** Rounds of a case for each start. In each round every server has two turns. */
  readonly rounds: number;
  /** The approximate duration of a turn. All turns of a case have the same number of requests. */
  readonly seconds: number;
  /** Load before the first turn of a case, so that the code is compiled. */
  readonly warmUpSeconds: number;
  /** Orders of the owner whose orders are read. */
  readonly orders: number;
}

export const REVISIONS_PLANS = {
  full: { starts: 8, rounds: 3, seconds: 0.25, warmUpSeconds: 1.2, orders: 2000 },
  quick: { starts: 1, rounds: 1, seconds: 0.05, warmUpSeconds: 0.1, orders: 500 },
} as const satisfies Readonly<Record<string, RevisionsPlan>>;

/** The CPU time of a request in microseconds. */
interface Cost {
  readonly server: number;
  readonly postgres: number;
}

/** The cost of a request of one case in one round, for each server. */
interface Round {
  /** The index of the start of the servers. */
  readonly start: number;
  readonly before: Cost;
  readonly after: Cost;
  /** A second server of the same checkout as `before`. */
  readonly control: Cost;
}

export interface RevisionsResult {
  readonly case: RevisionCase;
  readonly rounds: readonly Round[];
}

/** The cases that revisions are compared by, in the order of the table. */
const REVISION_CASES = [...CASE_NAMES, ...WRITE_CASE_NAMES];

type RevisionCase = (typeof REVISION_CASES)[number];

/** Returns the cases with these titles, or all without any; a message when no case has one of the titles. */
export function revisionCases(titles: readonly string[]): readonly RevisionCase[] | string {
  const known = REVISION_CASES.map((name) => LOAD_CASES[name].title);
  const unknown = titles.find((title) => !known.includes(title));
  if (unknown !== undefined) return `no case "${unknown}". The cases are: ${known.join('; ')}`;
  return titles.length === 0
    ? REVISION_CASES
    : REVISION_CASES.filter((name) => titles.includes(LOAD_CASES[name].title));
}

const REPLAYS = 100;

/** Orders that are changed in turn: so many that no two requests change one at the same time. */
const CHANGED = 400;

/**
 * Measures the checkout in `folder` and this one in turns, in one run on one PostgreSQL. Measures the one in
 * `folder` a second time as a control. Each has a database and a server of its own.
 *
 * @throws {WrongResponse} a response differs from the expected one
 */
export async function compareRevisions(
  folder: string,
  own: string,
  plan: RevisionsPlan,
  cases: readonly RevisionCase[],
  progress: Progress,
): Promise<readonly RevisionsResult[]> {
  const rounds = new Map<RevisionCase, Round[]>(cases.map((name) => [name, []]));
  progress.begin(cases.length * plan.starts * plan.rounds);
  const postgres = await startBenchDatabase();
  const load = startLoad();
  const revisions: Revision[] = [];
  try {
    for (const [title, checkout] of [
      ['before', folder],
      ['after', own],
      ['control', folder],
    ] as const) {
      progress.log(`${title}: ${checkout}`);
      revisions.push(await startRevision(title, checkout, postgres.url, plan.orders));
    }
    for (let start = 0; start < plan.starts; start += 1) {
      if (start > 0) await Promise.all(revisions.map((revision) => revision.restart()));
      for (const name of cases) {
        const measure = measurer(name, load, postgres.postmaster);
        const costs = await compareCase(name, rotated(revisions, start), plan, measure, progress);
        rounds.get(name)?.push(...costs.map((round) => ({ start, ...round })));
      }
    }
    return cases.map((name) => ({ case: name, rounds: rounds.get(name) ?? [] }));
  } finally {
    for (const revision of revisions) await revision.close();
    await load.stop();
    await postgres.stop();
  }
}

async function compareCase(
  name: RevisionCase,
  revisions: readonly Revision[],
  plan: RevisionsPlan,
  measure: Measure,
  progress: Progress,
): Promise<readonly Omit<Round, 'start'>[]> {
  let requests = Infinity;
  for (const revision of revisions) {
    await revision.settle();
    const { perSecond } = await measure(revision, { seconds: plan.warmUpSeconds });
    requests = Math.min(requests, Math.ceil(perSecond * plan.seconds));
  }
  const rounds: Omit<Round, 'start'>[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    progress.step(LOAD_CASES[name].title);
    const costs = new Map<string, Cost>();
    const ordered = rotated(revisions, round);
    // Forwards and backwards, so that a machine that becomes slower affects all revisions equally.
    for (const revision of [...ordered, ...ordered.toReversed()]) {
      const cost = await measure(revision, { requests });
      const { server, postgres } = costs.get(revision.title) ?? { server: 0, postgres: 0 };
      costs.set(revision.title, { server: server + cost.server / 2, postgres: postgres + cost.postgres / 2 });
    }
    const { before, after, control } = Object.fromEntries(costs);
    if (before && after && control) rounds.push({ before, after, control });
  }
  return rounds;
}

/** The length of a turn. */
type Length = { readonly seconds: number } | { readonly requests: number };

type Measure = (revision: Revision, length: Length) => Promise<Cost & { readonly perSecond: number }>;

function measurer(name: RevisionCase, load: Load, postmaster: number): Measure {
  const prepared = new Map<Revision, readonly string[]>();
  return async (revision, length) => {
    const { subject, keys } = revision;
    const targets = await targetsOf(name, revision, length, prepared);
    const [server, postgres] = [cpuTimeOfTree(subject.pid), cpuTimeOfTree(postmaster)];
    const report = await load.run({
      case: name,
      port: subject.port,
      apiKeys: [keys[LOAD_CASES[name].owner]],
      connections: CONNECTIONS,
      targets,
      ...length,
    });
    return {
      server: (cpuTimeOfTree(subject.pid) - server) / report.requests,
      postgres: (cpuTimeOfTree(postmaster) - postgres) / report.requests,
      perSecond: report.perSecond,
    };
  };
}

/** An upper bound of cancelled orders per second, as a first estimate. */
const CANCELS_PER_SECOND = 3000;

async function targetsOf(
  name: RevisionCase,
  revision: Revision,
  length: Length,
  prepared: Map<Revision, readonly string[]>,
): Promise<readonly string[]> {
  if (name === 'list') return revision.ids.slice(0, 1);
  if (name === 'cancel')
    return await revision.place('requests' in length ? length.requests : CANCELS_PER_SECOND * length.seconds);
  const prepare = PREPARED[name];
  if (!prepare) return revision.ids;
  const targets = prepared.get(revision) ?? (await prepare(revision));
  prepared.set(revision, targets);
  return name === 'replay' ? targets : changesOf(targets, length);
}

/** Places the orders that the requests of a case replay or change. */
const PREPARED: Readonly<Partial<Record<RevisionCase, (revision: Revision) => Promise<readonly string[]>>>> = {
  replay: placeWithKeys,
  change: (revision) => revision.place(CHANGED),
  changeWithKey: (revision) => revision.place(CHANGED),
  changeLarge: (revision) => revision.place(CHANGED, LARGE),
  changeLargeWithKey: (revision) => revision.place(CHANGED, LARGE),
};

/** An upper bound of changes per second. */
const CHANGES_PER_SECOND = 5000;

function changesOf(ids: readonly string[], length: Length): readonly string[] {
  const count = 'requests' in length ? length.requests : CHANGES_PER_SECOND * length.seconds;
  return Array.from({ length: count }, (_, index) => changeTarget(ids[index % ids.length] ?? '', randomUUIDv7()));
}

/** Places orders with idempotency keys and returns the targets that replay them. */
async function placeWithKeys({ subject, keys }: Revision): Promise<readonly string[]> {
  const targets: string[] = [];
  for (let count = 0; count < REPLAYS; count += 1) {
    const key = randomUUIDv7();
    const { headers } = await fetchResponse(subject.port, keys.writer, CASES.create.request(key));
    targets.push(replayTarget(key, headers['location']?.split('/').at(-1) ?? ''));
  }
  return targets;
}
