import { quantile } from '@orders/system-under-test';
import { ratios } from './turns.ts';

/** A table of a report, with a heading. */
export interface Section {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns sections as Markdown, behind a description of the run. */
export function formatReport(run: string, sections: readonly Section[]): string {
  const parts = sections.flatMap(({ title, header, rows }) => [title, table(header, rows)]);
  return [run, ...parts].join('\n\n');
}

/** Returns a Markdown table that is padded for terminals: the first column left-aligned, the others right-aligned. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? '';
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** Formats a number with about three significant digits. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Formats several measurements of one thing: the median, the lowest and the highest. */
export function spread(values: readonly number[]): string {
  const [least, typical, most] = [0, 0.5, 1].map((q) => figure(quantile(values, q)));
  return `${typical} (${least}–${most})`;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the cells of an upper limit and of the verdict; both are empty without a limit. */
export function limit(value: number, atMost: number | null): readonly string[] {
  return atMost === null ? ['', ''] : [`${atMost}`, verdict(value <= atMost)];
}

export function verdict(isMet: boolean): string {
  return isMet ? 'hit' : '**missed**';
}

/** The columns of {@link ratioRow}. */
export const RATIO_HEADER = ['', 'CPU µs before', 'after', 'ratio', 'at most', ''];

/** Returns a row that compares the costs of one thing with those of another one in the same rounds. */
export function ratioRow(
  title: string,
  before: readonly number[],
  after: readonly number[],
  atMost: number | null,
): readonly string[] {
  const ratio = ratios(before, after);
  return [title, figure(median(before)), figure(median(after)), spread(ratio), ...limit(median(ratio), atMost)];
}
