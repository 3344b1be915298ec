import { CASE_NAMES, type CaseName, CASES } from '../cases/cases.ts';
import { CONNECTIONS } from './plan.ts';
import { cost, type Measured, type Results } from './results.ts';
import { quantile, type Spread, spreadOf } from './statistics.ts';
import { SUBJECT_NAMES, type SubjectName, SUBJECTS } from './subjects.ts';

/** Something that is to hold, and what was measured. */
export interface Goal {
  readonly what: string;
  readonly atMost: number;
  readonly measured: Spread;
  readonly hit: boolean;
}

/** How many times the cost of a peer ours may be: server and PostgreSQL together, per request. */
const COST_GOALS: Readonly<Partial<Record<SubjectName, Readonly<Partial<Record<CaseName, number>>>>>> = {
  fastifyPg: { get: 1.15, list: 0.9, create: 0.7, replay: 1.3, cancel: 0.7 },
  nodeHttp: { get: 1.6, list: 1.6, create: 1.6, replay: 1.6, cancel: 1.6, notModified: 1.6, invalid: 1.6 },
  mikroOrm: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
  expressPrisma: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
  nestTypeOrm: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
};

const MANY = 128;
const P99_OF_P50 = 3;

/** Every goal of a comparison. A ratio is taken within each round; its median counts. */
export function goalsOf(results: Results): readonly Goal[] {
  const costs = SUBJECT_NAMES.flatMap((peer) =>
    CASE_NAMES.flatMap((name) => {
      const atMost = COST_GOALS[peer]?.[name];
      if (atMost === undefined) return [];
      return [goal(`${CASES[name].title}: CPU of ${SUBJECTS[peer].title}`, atMost, costRatios(results, peer, name))];
    }),
  );
  const latencies = CASE_NAMES.map((name) => {
    const windows = windowsOf(results, 'orders', name, MANY);
    return goal(
      `${CASES[name].title}: p99 of p50 at ${MANY} connections`,
      P99_OF_P50,
      windows.map(({ p50, p99 }) => p99 / p50),
    );
  });
  return [...costs, ...latencies];
}

/** What ours cost as a share of what a peer did, round by round. */
export function costRatios(results: Results, peer: SubjectName, name: CaseName): readonly number[] {
  const ours = windowsOf(results, 'orders', name, CONNECTIONS);
  const theirs = windowsOf(results, peer, name, CONNECTIONS);
  return ours.flatMap((window, round) => {
    const other = theirs[round];
    return other ? [cost(window) / cost(other)] : [];
  });
}

export function windowsOf(
  { series }: Results,
  subject: SubjectName,
  name: CaseName,
  connections: number,
): readonly Measured[] {
  const found = series.find(
    (each) => each.subject === subject && each.case === name && each.connections === connections,
  );
  return found?.windows ?? [];
}

function goal(what: string, atMost: number, values: readonly number[]): Goal {
  return { what, atMost, measured: spreadOf(values), hit: quantile(values, 0.5) <= atMost };
}
