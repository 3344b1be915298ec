import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { err, ok, type Result } from 'neverthrow';
import { reasonOf } from '../operator-error.ts';
import { decodeUtf8, utf8Chunks } from './utf8-chunks.ts';

const NEWLINE = 0x0a;

/**
 * Reads a text file in UTF-8 or, with a byte order mark, in UTF-16, or standard input for `-`. Returns what is wrong with
 * it instead: it cannot be read, has more than `bytesMax` bytes, whatever its size is said to be, or is no text.
 */
export async function readTextFile(file: string, bytesMax = Infinity): Promise<Result<string, string>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of utf8Chunks(file === '-' ? process.stdin : createReadStream(file))) {
      size += chunk.length;
      if (size > bytesMax) return err(`must have at most ${bytesMax} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    return err(`cannot be read: ${reasonOf(cause)}`);
  }
  const bytes = Buffer.concat(chunks);
  const text = decodeUtf8(bytes);
  return text === null ? err(`line ${lineOfFault(bytes)} is not UTF-8`) : ok(text);
}

/** Returns the number of the first line that is no UTF-8. */
function lineOfFault(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}
