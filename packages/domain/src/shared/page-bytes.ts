import type { Metadata } from './metadata.ts';

/**
 * How many bytes of free text the elements of one page have together at most, unless its first element alone has more:
 * 256 KiB, counted by {@link freeTextBytes}.
 */
export const PAGE_BYTES_MAX = 262_144;

/**
 * Counts the free text of an order or customer as a page does: the bytes of the note and of the metadata's JSON text, as
 * `JSON.stringify` writes it, both in UTF-8.
 */
export function freeTextBytes({
  note,
  metadata,
}: {
  readonly note?: string | null;
  readonly metadata: Metadata;
}): number {
  return utf8Bytes(note ?? '') + utf8Bytes(JSON.stringify(metadata));
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x8_00) bytes += 2;
    // Each half of a surrogate pair counts half of the four bytes that the pair has.
    else if (unit >= 0xd8_00 && unit < 0xe0_00) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
