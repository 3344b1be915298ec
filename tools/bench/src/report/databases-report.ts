import { quantile, spreadOf } from '../statistics.ts';
import { CLIENTS, type DatabasesResult, OWNERS, type Window } from '../databases/measure-databases.ts';
import { figure, table } from './markdown.ts';

/** Returns the rates and latencies of each database as Markdown, beside those of the first one. */
export function databasesReport({ databases, series }: DatabasesResult): string {
  const numbered = databases.map((title, index) => `${index + 1}. ${title}`);
  const rows = series.flatMap(({ title, databases: windows }) =>
    windows.map((measured, index) => [
      `${title}, ${index + 1}`,
      formatSpread(measured.map(({ perSecond }) => perSecond)),
      figure(medianOf(measured, 'p50')),
      figure(medianOf(measured, 'p99')),
      index === 0 ? '' : formatSpread(ratios(measured, windows[0] ?? [])),
    ]),
  );
  const header = ['', 'requests/s', 'p50 ms', 'p99 ms', 'share of 1'];
  return [
    ...numbered,
    '',
    `${CLIENTS} connections, ${OWNERS} owners. Medians of the rounds, with the lowest and the highest.`,
    '',
    table(header, rows),
  ].join('\n');
}

function medianOf(windows: readonly Window[], name: keyof Window): number {
  return quantile(
    windows.map((window) => window[name]),
    0.5,
  );
}

/** Returns the rate of each round as a share of that of the first database in the same round. */
function ratios(windows: readonly Window[], first: readonly Window[]): readonly number[] {
  return windows.map(({ perSecond }, round) => perSecond / (first[round]?.perSecond ?? Number.NaN));
}

function formatSpread(values: readonly number[]): string {
  const { median, min, max } = spreadOf(values);
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}
