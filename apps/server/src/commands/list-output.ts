import { Option } from 'commander';
import type { ResultAsync } from 'neverthrow';
import stringWidth from 'string-width';
import type { Store } from '../database/store.ts';
import { oneLine } from '../terminal.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { outputColumns, print } from './print.ts';

/** Makes a command print JSON. */
export const JSON_OUTPUT = new Option('--json', 'prints JSON');

/** One column of a table. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => string;
  /** Whether cells are aligned at their right. Default: false. */
  readonly isNumber?: boolean;
}

/** Returns the preparation of a command that prints the rows that `list` returns. */
export function listWith<Row>(
  columns: readonly Column<Row>[],
  list: (store: Store) => ResultAsync<readonly Row[], { readonly type: string }>,
): Command['prepare'] {
  return (args) => async (store) => {
    await printList(await databaseResult(list(store)), columns, args);
  };
}

/**
 * Prints rows as a table for people, with a header line even without rows, or with `--json` as one JSON array. On a terminal
 * the table has its width; a program that reads it finds each row in one line. Without rows it prints `none`, if given.
 */
export async function printList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { flags }: Arguments,
  none?: string,
): Promise<void> {
  if (rows.length === 0 && none !== undefined && !flags.has('json')) return await print(`${none}\n`);
  await print(flags.has('json') ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows, columns, outputColumns()));
}

/** Returns the cells of a row, each on one line. */
export function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): readonly string[] {
  return columns.map(({ cell }) => oneLine(cell(row)));
}

/**
 * Returns the table, each column as wide as its longest cell and two spaces from the next. Columns beyond `width` go on in
 * indented lines below.
 */
export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const lines = [columns.map(({ header }) => header), ...rows.map((row) => cellsOf(columns, row))];
  const widths = columns.map((_, index) =>
    lines.reduce((max, line) => Math.max(max, stringWidth(line[index] ?? '')), 0),
  );
  let end = -2;
  const gaps = widths.map((each) => {
    const isBelow = end > 0 && end + 2 + each > width;
    end = (isBelow ? 0 : end) + 2 + each;
    return isBelow ? '\n  ' : end === each ? '' : '  ';
  });
  const padded = (cell: string, index: number) => {
    const padding = ' '.repeat((widths[index] ?? 0) - stringWidth(cell));
    return columns[index]?.isNumber ? `${padding}${cell}` : `${cell}${padding}`;
  };
  return lines
    .flatMap((line) =>
      `${line.map((cell, index) => `${gaps[index] ?? ''}${padded(cell, index)}`).join('')}\n`.split(/^/m),
    )
    .map((line) => withinColumns(line.replace(/ +$/m, ''), width))
    .join('');
}

/** Breaks a line behind commas, as a cell that is wider than the terminal may have them. */
function withinColumns(line: string, width: number): string {
  if (line.length <= width + 1 || width < 20) return line;
  return line.replaceAll(new RegExp(`(?=.{${width - 1}}).{3,${width - 3}},`, 'g'), '$&\n  ');
}
