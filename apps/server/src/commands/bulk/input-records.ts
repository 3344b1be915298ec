import { err, ok } from 'neverthrow';
import { parseStrictJson } from '../../files/strict-json.ts';
import { utf8Chunks } from '../../files/utf8-chunks.ts';

/** Opens an input, from its beginning each time. */
export type OpenInput = () => AsyncIterable<Buffer>;

/** A record of an input. */
export interface InputRecord {
  /** The number of its first line, or of the one that is wrong, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** The bytes of the input up to its end. */
  readonly end: number;
  /** The object, or why there is none. */
  readonly content: { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: Problem };
}

/** Why a record is not imported. */
export interface Problem {
  readonly code: string;
  readonly [member: string]: unknown;
}

/** Maximum length of a line, in bytes: four times the largest order, so that any text without lines ends here. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Reads one JSON object a line (NDJSON). Empty lines are skipped. No more than one line is kept. */
export async function* ndjsonRecords(open: OpenInput): AsyncGenerator<InputRecord> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  let end = 0;
  const take = (): InputRecord | null => {
    const content = size > LINE_BYTES_MAX ? { problem: TOO_LONG } : contentOf(Buffer.concat(parts), line);
    const record = content && { line, lastLine: line, end, content };
    parts = [];
    size = 0;
    line += 1;
    return record;
  };
  for await (const chunk of utf8Chunks(open())) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      size += at - start;
      end += at - start + 1;
      if (size <= LINE_BYTES_MAX) parts.push(chunk.subarray(start, at));
      start = at + 1;
      const record = take();
      if (record) yield record;
    }
    size += chunk.length - start;
    end += chunk.length - start;
    // What is too long is dropped, and only counted.
    if (size <= LINE_BYTES_MAX) parts.push(chunk.subarray(start));
    else parts = [];
  }
  const last = take();
  if (last) yield last;
}

const TOO_LONG: Problem = { code: 'payload_too_large', detail: `A line has more than ${LINE_BYTES_MAX} bytes.` };

function contentOf(bytes: Buffer, line: number): InputRecord['content'] | null {
  if (bytes.every((byte) => WHITESPACE.includes(byte))) return null;
  return parseStrictJson(bytes, line)
    .andThen((value) => (isObject(value) ? ok(value) : err('is not a JSON object')))
    .match<InputRecord['content']>(
      (value) => ({ value }),
      (fault) => ({ problem: { code: 'malformed_json', detail: `Line ${line} ${fault}.` } }),
    );
}

/** The bytes of spaces, tabs and ends of lines. */
const WHITESPACE = [0x20, 0x09, 0x0d];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
