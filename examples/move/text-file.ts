import { readFile } from 'node:fs/promises';

/**
 * Reads a text file in UTF-8 or, with a byte order mark, in UTF-16.
 *
 * @throws {Error} the bytes are neither, with the line
 */
export async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.subarray(0, 2).toString('hex')] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    const [before = ''] = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1);
    throw new Error(`${file}: line ${before.split('\n').length} is not ${encoding.toUpperCase()}`, { cause });
  }
}
