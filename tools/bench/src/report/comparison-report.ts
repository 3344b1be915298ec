import { CASE_NAMES, type CaseName, CASES } from '../cases/cases.ts';
import { costRatios, type Goal, goalsOf, windowsOf } from '../comparison/goals.ts';
import { CONNECTIONS, EDGES } from '../comparison/plan.ts';
import { cost, type Results } from '../comparison/results.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { EDGE_SUBJECTS, SUBJECT_NAMES, type SubjectName, SUBJECTS } from '../comparison/subjects.ts';
import { figure, table } from './markdown.ts';

/** Returns the report of a comparison as Markdown. */
export function comparisonReport(results: Results): string {
  const { run, rounds, seconds } = results;
  const parts = [
    `${run}\n- ${rounds} rounds of ${seconds} s`,
    '### Goals',
    goalsTable(goalsOf(results)),
    `### Cost of a request, ${CONNECTIONS} connections`,
    ...CASE_NAMES.flatMap((name) => [`**${CASES[name].title}**`, caseTable(results, name)]),
    '### Few connections and many',
    edgesTable(results),
    '### Start and memory',
    startTable(results),
  ];
  return parts.join('\n\n');
}

function goalsTable(goals: readonly Goal[]): string {
  const rows = goals.map(({ title, atMost, measured, met }) => [
    title,
    `${atMost}`,
    figure(measured.median),
    `${figure(measured.min)}–${figure(measured.max)}`,
    met ? 'hit' : '**missed**',
  ]);
  return table(['Orders as a share of', 'at most', 'median', 'spread', ''], rows);
}

function caseTable(results: Results, name: CaseName): string {
  const rows = SUBJECT_NAMES.map((subject) => {
    const windows = windowsOf(results, subject, name, CONNECTIONS);
    const of = (pick: (window: (typeof windows)[number]) => number) => spreadOf(windows.map(pick));
    const sum = of(cost);
    return [
      SUBJECTS[subject].title,
      figure(of(({ server }) => server).median),
      figure(of(({ postgres }) => postgres).median),
      `${figure(sum.median)} (${figure(sum.min)}–${figure(sum.max)})`,
      subject === 'orders' ? '' : figure(spreadOf(costRatios(results, subject, name)).median),
      spread(of(({ perSecond }) => perSecond)),
      figure(of(({ p50 }) => p50).median),
      figure(of(({ p99 }) => p99).median),
    ];
  });
  return table(
    ['', 'server µs', 'PostgreSQL µs', 'CPU µs (min–max)', 'Orders of it', 'requests/s', 'p50 ms', 'p99 ms'],
    rows,
  );
}

function edgesTable(results: Results): string {
  const rows = CASE_NAMES.flatMap((name) =>
    EDGES.flatMap((connections) =>
      EDGE_SUBJECTS.map((subject) => {
        const windows = windowsOf(results, subject, name, connections);
        const of = (pick: (window: (typeof windows)[number]) => number) => spreadOf(windows.map(pick)).median;
        return [
          `${CASES[name].title}, ${SUBJECTS[subject].title}`,
          `${connections}`,
          figure(of(cost)),
          figure(of(({ perSecond }) => perSecond)),
          figure(of(({ p50 }) => p50)),
          figure(of(({ p99 }) => p99)),
          figure(of(({ p50, p99 }) => p99 / p50)),
        ];
      }),
    ),
  );
  return table(['', 'connections', 'CPU µs', 'requests/s', 'p50 ms', 'p99 ms', 'p99 of p50'], rows);
}

function startTable(results: Results): string {
  const rows = SUBJECT_NAMES.map((subject) => [
    SUBJECTS[subject].title,
    spread(spreadOf(results.starts[subject] ?? [])),
    figure(results.memory[subject] ?? Number.NaN),
    ...memoryUnderLoad(results, subject),
  ]);
  return table(['', 'first response ms', 'peak memory MiB', 'after the first case', 'after the last'], rows);
}

/** Returns the memory after the first case and after the last one. */
function memoryUnderLoad(results: Results, subject: SubjectName): readonly string[] {
  return [CASE_NAMES.at(0), CASE_NAMES.at(-1)].map((name) => {
    const last = name && windowsOf(results, subject, name, CONNECTIONS).at(-1);
    return figure(last?.memory ?? Number.NaN);
  });
}

function spread({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}
