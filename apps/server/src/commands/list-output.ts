import { Option } from 'commander';
import type { ResultAsync } from 'neverthrow';
import type { Store } from '../database/store.ts';
import { oneLine } from '../terminal.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { outputColumns, print } from './print.ts';
import type { ColumnHead } from './table.ts';

/** Makes a command print JSON. */
export const JSON_OUTPUT = new Option('--json', 'prints JSON');

/** One column of a table. */
export interface Column<Row> extends ColumnHead {
  readonly cell: (row: Row) => string;
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
  if (flags.has('json')) return await print(`${JSON.stringify(rows, null, 2)}\n`);
  const { tableOf } = await import('./table.ts');
  const cells = rows.map((row) => cellsOf(columns, row));
  await print(tableOf(columns, cells, outputColumns()));
}

/** Returns the cells of a row, each on one line. */
export function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): readonly string[] {
  return columns.map(({ cell }) => oneLine(cell(row)));
}
