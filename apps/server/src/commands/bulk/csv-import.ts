import { ITEMS_MAX, type OrderDefinition } from '@orders/domain';
import { parseStrictJson } from '../../files/strict-json.ts';
import { decodeUtf8 } from '../../files/utf8-chunks.ts';
import { OperatorError } from '../../operator-error.ts';
import { unescapeFormulas } from './csv-cells.ts';
import { type Column, CURRENCY, csvColumns } from './csv-columns.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';
import type { InputRecord, OpenInput } from './input-records.ts';

type Cells = ReadonlyMap<string, string>;

/** The rows of an order, which stand together. */
interface Group {
  readonly line: number;
  readonly id: string | undefined;
  readonly reference: string | undefined;
  /** The cells of its rows, of which one more is kept than an order may have. */
  readonly rows: Cells[];
  /** The first fault, with its line. */
  fault: { readonly line: number; readonly detail: string } | null;
  lastLine: number;
  end: number;
}

/** Maximum length of an id or reference that is kept. Longer ones are invalid. */
const KEY_LENGTH_MAX = 1000;

/**
 * Returns a function that reads orders from CSV, as {@link csvOf} writes them. The columns may have any order. It reads the
 * file two times: an order whose rows do not stand together is rejected before the first of them is imported, and the ids
 * and references of all are kept for it.
 */
export function csvRecordsOf(definition: OrderDefinition) {
  const columns = csvColumns(definition);
  return async function* (open: OpenInput): AsyncGenerator<InputRecord> {
    const apart = await keysApart(groupsOf(open(), columns));
    for await (const group of groupsOf(open(), columns)) {
      const { line, lastLine, end } = group;
      if (keysOf(group).some((key) => apart.has(key))) group.fault = { line, detail: APART };
      yield group.fault
        ? { line: group.fault.line, lastLine, end, content: { problem: problemOf(group.fault.detail) } }
        : { line, lastLine, end, content: contentOf(group, columns) };
    }
  };
}

const APART = 'The rows of an order must stand together, and others are between those of this one.';

function problemOf(detail: string) {
  return { code: 'malformed_csv', detail };
}

/** Returns the ids or references of orders whose rows do not stand together. */
async function keysApart(groups: AsyncIterable<Group>): Promise<ReadonlySet<string>> {
  const [seen, apart] = [new Set<string>(), new Set<string>()];
  for await (const group of groups)
    for (const key of keysOf(group)) if (key.length <= KEY_LENGTH_MAX) (seen.has(key) ? apart : seen).add(key);
  return apart;
}

function keysOf({ id, reference }: Pick<Group, 'id' | 'reference'>): readonly string[] {
  return [...(id === undefined ? [] : [`id ${id}`]), ...(reference === undefined ? [] : [`reference ${reference}`])];
}

/** Joins the rows of each order. */
async function* groupsOf(chunks: AsyncIterable<Buffer>, known: readonly Column[]): AsyncGenerator<Group> {
  let columns: readonly Column[] | null = null;
  let group: Group | null = null;
  for await (const row of csvRows(chunks)) {
    if (!columns && row.fault === null) {
      columns = columnsOf(row.cells, known);
      continue;
    }
    const { cells, fault } = readCells(columns ?? [], row);
    const [id, reference] = [cells.get('order_id'), cells.get('reference')];
    const hasNoKey = id === undefined && reference === undefined;
    // A row without a key may be of the order before it, which is rejected with it.
    const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
    if (!group || !(hasNoKey || isSame(id, group.id) || isSame(reference, group.reference))) {
      if (group) yield group;
      group = { line: row.line, id, reference, rows: [], fault: null, lastLine: 0, end: 0 };
    }
    const detail = fault ?? (hasNoKey ? NO_KEY : differenceOf(cells, group, known));
    if (detail !== null) group.fault ??= { line: row.line, detail };
    if (group.rows.length <= ITEMS_MAX) group.rows.push(cells);
    group.lastLine = row.lastLine;
    group.end = row.end;
  }
  if (!columns && !group) throw new OperatorError(['FILE: is empty; its first row must have the names of the columns']);
  if (group) yield group;
}

const NO_KEY = 'The row names no order: each one needs an order_id or a reference.';

/**
 * Returns the columns that the first row names.
 *
 * @throws {OperatorError} a column is unknown or named twice, or none says to which order a row belongs
 */
function columnsOf(cells: readonly string[], known: readonly Column[]): readonly Column[] {
  const names = cells.map((cell) => textOf(cell)?.trim() ?? cell);
  // Some programs end each row with separators.
  while (names.at(-1) === '') names.pop();
  const columns = names.map((name) => {
    const column = known.find((each) => each.name === name);
    if (column) return column;
    throw new OperatorError([
      `FILE: the column "${name}" is unknown; the columns are ${known.map((each) => each.name).join(', ')}`,
    ]);
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new OperatorError([`FILE: the column "${twice}" is there twice`]);
  if (!names.includes('order_id') && !names.includes('reference'))
    throw new OperatorError(['FILE: a column order_id or reference is required']);
  return columns;
}

/** Returns the cells of a row that are not empty, by the names of their columns, and what is wrong with it. */
function readCells(columns: readonly Column[], row: CsvRow): { readonly cells: Cells; readonly fault: string | null } {
  const cells = new Map<string, string>();
  let fault = row.fault === null ? null : `The file cannot be read from here on: ${row.fault}.`;
  for (const [index, cell] of row.cells.entries()) {
    if (cell === '') continue;
    const [column, text] = [columns[index], textOf(cell)];
    if (!column) fault ??= `The row has more cells than the file has columns: ${columns.length}.`;
    else if (text === null) fault ??= `The cell of ${column.name} is not UTF-8.`;
    else cells.set(column.name, column.type === 'text' ? unescapeFormulas(text) : text);
  }
  return { cells, fault };
}

/** Decodes a cell, whose bytes are a character each; `null` if they are no UTF-8. */
function textOf(cell: string): string | null {
  return /[\x80-\xFF]/.test(cell) ? decodeUtf8(Buffer.from(cell, 'latin1')) : cell;
}

/** Returns in what a row states something else about its order than the first one; `null` if in nothing. */
function differenceOf(cells: Cells, { rows: [first], line }: Group, known: readonly Column[]): string | null {
  if (!first) return null;
  const differs = ({ of, name }: Column) => of === 'order' && cells.has(name) && cells.get(name) !== first.get(name);
  const column = known.find(differs);
  return column ? `The cell of ${column.name} differs from that of the same order on line ${line}.` : null;
}

/** Returns the order that the rows of a group make. */
function contentOf({ rows, line }: Group, columns: readonly Column[]): InputRecord['content'] {
  const [first = new Map<string, string>()] = rows;
  const faults: string[] = [];
  const members = (cells: Cells, of: Column['of']): object => {
    const object: Record<string, unknown> = {};
    for (const column of columns) {
      const { name, member, within } = column;
      const cell = cells.get(name);
      if (column.of !== of || name === CURRENCY || cell === undefined) continue;
      const value = valueOf(column, cell, first.get(CURRENCY), line, faults);
      if (within === undefined) object[member] = value;
      else object[within] = { ...Object(object[within]), [member]: value };
    }
    return object;
  };
  const order = { kind: 'order', ...members(first, 'order'), items: rows.map((cells) => members(cells, 'item')) };
  return faults[0] === undefined ? { value: order } : { problem: problemOf(faults[0]) };
}

/** Returns the value of a cell. One that is no number stays a text, which the domain rejects by its name. */
function valueOf(
  { type, name }: Column,
  cell: string,
  currency: string | undefined,
  line: number,
  faults: string[],
): unknown {
  if (type === 'text') return cell;
  if (type === 'json')
    return parseStrictJson(Buffer.from(cell), line).match(
      (value) => value,
      (fault) => void faults.push(`The cell of ${name} ${fault}.`),
    );
  const number = /^-?[0-9]{1,16}$/.test(cell) ? Number(cell) : cell;
  return type === 'amount' ? { amount: number, currency } : number;
}
