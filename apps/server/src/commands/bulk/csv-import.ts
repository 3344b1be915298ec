import { Readable } from 'node:stream';
import { ITEMS_MAX, type OrderDefinition } from '@orders/domain';
import { CsvError, parse } from 'csv-parse';
import { OperatorError } from '../../operator-error.ts';
import { type Column, CURRENCY, csvColumns } from './csv-columns.ts';
import { isEscaped } from './csv-export.ts';
import { type InputRecord, LINE_BYTES_MAX } from './input-records.ts';

/** A row of a file, with the number of its last line and of the bytes up to its end. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number; readonly bytes: number };
}

/** The order of one or several rows. */
interface Group {
  readonly key: string;
  readonly line: number;
  readonly currency: string | undefined;
  readonly order: object;
  readonly items: object[];
  end: number;
}

/** Returns a function that reads orders from CSV, as {@link csvOf} writes them. The columns may have any order. */
export function csvRecordsOf(definition: OrderDefinition) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<InputRecord> {
    let columns: readonly Column[] | null = null;
    let group: Group | null = null;
    for await (const { record, info } of rowsOf(chunks)) {
      if (!columns) {
        columns = columnsOf(record, csvColumns(definition));
        continue;
      }
      const cells = cellsOf(columns, record);
      const key = cells.get('order_id') ?? cells.get('reference') ?? '';
      if (!group || (key !== '' && key !== group.key)) {
        if (group) yield recordOf(group);
        const currency = cells.get(CURRENCY);
        const order = members(columns, cells, 'order', currency);
        group = { key, line: info.lines, currency, order, items: [], end: 0 };
      }
      // One more than an order may have is rejected, and further ones are not kept.
      if (group.items.length <= ITEMS_MAX) group.items.push(members(columns, cells, 'item', group.currency));
      group.end = info.bytes;
    }
    if (group) yield recordOf(group);
  };
}

function recordOf({ line, end, order, items }: Group): InputRecord {
  return { line, end, content: { value: { kind: 'order', ...order, items } } };
}

async function* rowsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const rows = Readable.from(chunks).compose(
    parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: LINE_BYTES_MAX }),
  );
  try {
    for await (const row of rows) yield row;
  } catch (cause) {
    throw cause instanceof CsvError ? new OperatorError([`FILE: ${cause.message}`], { cause }) : cause;
  }
}

/**
 * Returns the columns that the first row names.
 *
 * @throws {OperatorError} a column is unknown
 */
function columnsOf(names: readonly string[], known: readonly Column[]): readonly Column[] {
  return names.map((name) => {
    const column = known.find((each) => each.name === name);
    if (column) return column;
    throw new OperatorError([
      `FILE: the column "${name}" is unknown; the columns are ${known.map((each) => each.name).join(', ')}`,
    ]);
  });
}

/** Returns the cells that are not empty, by the names of their columns. */
function cellsOf(columns: readonly Column[], row: readonly string[]): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [index, { name }] of columns.entries()) {
    const cell = row[index] ?? '';
    if (cell !== '') cells.set(name, isEscaped(cell) ? cell.slice(1) : cell);
  }
  return cells;
}

/** Returns the members of an order or item that the cells of a row make. */
function members(
  columns: readonly Column[],
  cells: ReadonlyMap<string, string>,
  of: Column['of'],
  currency: string | undefined,
): object {
  const made: Record<string, unknown> = {};
  for (const column of columns) {
    const cell = cells.get(column.name);
    if (column.of === of && column.name !== CURRENCY && cell !== undefined)
      made[column.member] = valueOf(column, cell, currency);
  }
  return made;
}

/** Returns the value of a cell. One of another type stays a text, which the domain rejects by its name. */
function valueOf({ type }: Column, cell: string, currency: string | undefined): unknown {
  if (type === 'text') return cell;
  if (type === 'json') return jsonOf(cell);
  const number = /^-?[0-9]{1,16}$/.test(cell) ? Number(cell) : cell;
  return type === 'amount' ? { amount: number, currency } : number;
}

function jsonOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
