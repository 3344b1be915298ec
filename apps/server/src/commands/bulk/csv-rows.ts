import { CsvError, parse } from 'csv-parse';
import { utf8Chunks } from '../../files/utf8-chunks.ts';
import { LINE_BYTES_MAX } from './input-records.ts';

/** A row of a CSV file with a value. */
export interface CsvRow {
  /** The numbers of its first and last line, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** The bytes up to its end. */
  readonly end: number;
  /** The bytes of each cell, a character for each. */
  readonly cells: readonly string[];
  /** Why the file cannot be read from here on, else `null`. It is the last row then. */
  readonly fault: string | null;
}

const SEPARATORS = [',', ';', '\t', '|'];
const [LF, CR] = [0x0a, 0x0d];

/** Bytes of a first line at most. */
const HEAD_BYTES_MAX = 64 * 1024;

const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a cell goes on behind its closing quote',
  INVALID_OPENING_QUOTE: 'a quote is within a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: `a row has more than ${LINE_BYTES_MAX} bytes`,
};

/**
 * Reads the rows of a CSV file (RFC 4180) in UTF-8 or UTF-16, but those without a value. Cells are separated by commas,
 * semicolons, tabs or vertical bars, as the first row is, or as a line `sep=;` before it says.
 */
export async function* csvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  const bytes = utf8Chunks(chunks);
  const head = await headOf(bytes);
  const { newline, separator, skipped } = formOf(head);
  const found: { readonly cells: readonly string[]; readonly end: number }[] = [];
  const parser = parse({
    delimiter: separator,
    encoding: 'latin1',
    from_line: skipped + 1,
    relax_column_count: true,
    max_record_size: LINE_BYTES_MAX,
    // A stream that fails drops what was not read from it yet.
    on_record: (cells: readonly string[], { bytes: end }) => {
      found.push({ cells, end });
      return null;
    },
  });
  // The caller of write receives an error.
  parser.on('error', () => undefined);
  /** Parses a chunk, or ends the file; returns the error. */
  const parsed = (chunk: Buffer | null) =>
    new Promise<Error | null | undefined>((resolve) => {
      if (chunk) parser.write(chunk, resolve);
      else parser.end(resolve);
    });

  const ends = new LineEnds(newline);
  let line = 1;
  const take = function* (): Generator<CsvRow> {
    for (const { cells, end } of found.splice(0)) {
      const next = line + ends.countBefore(end);
      const lastLine = ends.last === end - 1 ? next - 1 : next;
      if (cells.some((cell) => cell.trim() !== '')) yield { line, lastLine, end, cells, fault: null };
      line = next;
    }
  };
  for await (const chunk of piecesOf(head, bytes)) {
    if (chunk) ends.add(chunk);
    const error = await parsed(chunk);
    yield* take();
    if (!error) continue;
    if (!(error instanceof CsvError)) throw error;
    yield { line, lastLine: line, end: ends.bytes, cells: [], fault: FAULTS[error.code] ?? error.message };
    return;
  }
}

/** Returns all pieces of a file, and `null` at its end. */
async function* piecesOf(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  yield head;
  yield* rest;
  yield null;
}

/** The offsets of the ends of lines. */
class LineEnds {
  /** The bytes of the chunks so far. */
  bytes = 0;
  /** The last one that was counted. */
  last = -1;
  readonly #newline: number;
  readonly #waiting: number[] = [];

  constructor(newline: number) {
    this.#newline = newline;
  }

  add(chunk: Buffer): void {
    for (let at = chunk.indexOf(this.#newline); at !== -1; at = chunk.indexOf(this.#newline, at + 1))
      this.#waiting.push(this.bytes + at);
    this.bytes += chunk.length;
  }

  /** Returns how many are before an offset, beside those that were counted before. */
  countBefore(end: number): number {
    let count = 0;
    for (; (this.#waiting[0] ?? Infinity) < end; count += 1) this.last = this.#waiting.shift() ?? -1;
    return count;
  }
}

/** Reads at least the first line. */
async function headOf(bytes: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  let head = Buffer.of();
  // The line feed of a line that ends with both comes with it.
  while (head.length < HEAD_BYTES_MAX && !/[^\r\n][\r\n]./s.test(head.toString('latin1'))) {
    const next = await bytes.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

/** Returns what the first line says about a file: how lines and cells end, and how many lines come before the columns. */
function formOf(head: Buffer) {
  const text = head.toString('latin1');
  const [, before = '', first = '', end = ''] = /^([\r\n]*)([^\r\n]*)(\r?\n|\r)?/.exec(text) ?? [];
  const newline = end === '\r' ? CR : LF;
  const [, stated] = /^"?sep=([^"])"?$/i.exec(first) ?? [];
  if (stated !== undefined) return { newline, separator: stated, skipped: before.split(end).length };
  const unquoted = first.replaceAll(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => unquoted.split(separator).length);
  return { newline, separator: SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',', skipped: 0 };
}
