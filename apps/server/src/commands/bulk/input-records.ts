/** A record of an input. */
export interface InputRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
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
export async function* ndjsonRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<InputRecord> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  let end = 0;
  const take = (): InputRecord | null => {
    const content = size > LINE_BYTES_MAX ? { problem: TOO_LONG } : contentOf(Buffer.concat(parts), line);
    const record = content && { line, end, content };
    parts = [];
    size = 0;
    line += 1;
    return record;
  };
  for await (const chunk of chunks) {
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

const utf8 = new TextDecoder('utf-8', { fatal: true });

function contentOf(bytes: Buffer, line: number): InputRecord['content'] | null {
  let value: unknown;
  try {
    // Without a byte order mark, which some programs write at the start of a file.
    const text = utf8.decode(bytes).trim();
    if (text === '') return null;
    value = JSON.parse(text);
  } catch (cause) {
    return { problem: { code: 'malformed_json', detail: `Line ${line} is not valid JSON in UTF-8: ${String(cause)}` } };
  }
  return isObject(value)
    ? { value }
    : { problem: { code: 'malformed_json', detail: `Line ${line} is not a JSON object.` } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
