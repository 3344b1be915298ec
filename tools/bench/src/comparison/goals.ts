import { CASE_NAMES, type CaseName, CASES } from '../cases/cases.ts';
import { CONNECTIONS } from './plan.ts';
import { cost, type Measured, type Results } from './results.ts';
import { quantile, type Spread, spreadOf } from '../statistics.ts';
import { SUBJECT_NAMES, type SubjectName, SUBJECTS } from './subjects.ts';

/** An upper limit of a ratio, and the measured ratio. */
export interface Goal {
  readonly title: string;
  readonly atMost: number;
  readonly measured: Spread;
  readonly met: boolean;
}

/** The highest ratio of the cost of Orders to that of a baseline. Cost is CPU of server and PostgreSQL per request. */
const COST_GOALS: Readonly<Partial<Record<SubjectName, Readonly<Partial<Record<CaseName, number>>>>>> = {
  fastifyPg: { get: 1.15, list: 0.9, create: 0.7, replay: 1.3, cancel: 0.7 },
  nodeHttp: { get: 1.6, list: 1.6, create: 1.6, replay: 1.6, cancel: 1.6, notModified: 1.6, invalid: 1.6 },
  mikroOrm: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
  expressPrisma: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
  nestTypeOrm: { get: 0.5, list: 0.5, create: 0.5, cancel: 0.5 },
};

const MANY = 128;
const P99_OF_P50 = 3;

/** Returns every goal of a comparison. Ratios are computed within each round, and their median is compared. */
export function goalsOf(results: Results): readonly Goal[] {
  const costs = SUBJECT_NAMES.flatMap((baseline) =>
    CASE_NAMES.flatMap((name) => {
      const atMost = COST_GOALS[baseline]?.[name];
      if (atMost === undefined) return [];
      return [
        goal(`${CASES[name].title}: CPU of ${SUBJECTS[baseline].title}`, atMost, costRatios(results, baseline, name)),
      ];
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

/** Returns the cost of Orders as a share of the cost of a baseline, for each round. */
export function costRatios(results: Results, baseline: SubjectName, name: CaseName): readonly number[] {
  const ours = windowsOf(results, 'orders', name, CONNECTIONS);
  const theirs = windowsOf(results, baseline, name, CONNECTIONS);
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

function goal(title: string, atMost: number, values: readonly number[]): Goal {
  return { title, atMost, measured: spreadOf(values), met: quantile(values, 0.5) <= atMost };
}
