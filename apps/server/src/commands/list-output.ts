import { parseArgs } from 'node:util';
import type { ResultAsync } from 'neverthrow';
import { OperatorError } from '../operator-error.ts';
import type { Store } from '../database/store.ts';
import type { Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { print } from './print.ts';

/** Output formats of a list: a table for people, or JSON for programs. */
export type ListFormat = 'table' | 'json';

/** One column of a table. */
export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => string;
}

/** Returns the preparation of a command that prints the rows that `list` returns. Its only option is `--json`. */
export function listWith<Row>(
  columns: readonly Column<Row>[],
  list: (store: Store) => ResultAsync<readonly Row[], { readonly cause: unknown }>,
): Command['prepare'] {
  return (args) => {
    const format = readListFormat(args);
    return async (store) => {
      await printList(await databaseResult(list(store)), columns, format);
    };
  };
}

/**
 * Parses the arguments of a list command.
 *
 * @throws {OperatorError} there is an argument other than `--json`
 */
export function readListFormat(args: readonly string[]): ListFormat {
  try {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
    return values.json ? 'json' : 'table';
  } catch (cause) {
    throw OperatorError.of(cause);
  }
}

/** Prints rows as a table, with a header line even without rows, or as one JSON array. */
export async function printList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  format: ListFormat,
): Promise<void> {
  await print(format === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows, columns));
}

/** Returns the table, each column as wide as its longest cell and two spaces from the next. */
function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [columns.map(({ header }) => header), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
  const widths = columns.map((_, index) => lines.reduce((max, line) => Math.max(max, line[index]?.length ?? 0), 0));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
