import type { Metadata } from '../shared/metadata.ts';

/** A metadata value of the maximum length: 1,850 bytes of JSON in 500 code points, some of which JSON escapes. */
const FULL = '😀'.repeat(400) + '\n'.repeat(50) + '€'.repeat(50);
const FULL_BYTES = 1850;

/** Bytes of an entry with an empty value: `,"k10":""`. */
const ENTRY_BYTES = 9;

/** Returns valid metadata whose JSON has `bytes` bytes, at most 88,000. */
export function metadataOfBytes(bytes: number): Metadata {
  const metadata: Record<string, string> = {};
  const add = (value: string) => (metadata[`k${10 + Object.keys(metadata).length}`] = value);
  // The JSON of an object has two braces and one comma fewer than entries.
  let left = bytes - 1;
  for (; left > 2 * (ENTRY_BYTES + FULL_BYTES); left -= ENTRY_BYTES + FULL_BYTES) add(FULL);
  while (left > 0) {
    const length = Math.min(left - ENTRY_BYTES, 400);
    const rest = left - ENTRY_BYTES - length;
    const shorter = rest > 0 && rest < ENTRY_BYTES ? ENTRY_BYTES : 0;
    add('x'.repeat(length - shorter));
    left = rest + shorter;
  }
  return metadata;
}
