import type { Metadata } from './metadata.ts';

/**
 * Maximum free text of all elements of a page, in bytes as {@link freeTextBytes} counts them: 256 KiB. A page whose
 * first element alone exceeds it has that element only.
 */
export const PAGE_BYTES_MAX = 262_144;

/**
 * Returns the size of the free text of an order or customer, which counts towards {@link PAGE_BYTES_MAX}. It is the UTF-8
 * bytes of its note, and of its metadata and custom data as `JSON.stringify` writes them.
 */
export function freeTextBytes({
  note,
  metadata,
  custom,
}: {
  readonly note?: string | null;
  readonly metadata: Metadata;
  readonly custom?: unknown;
}): number {
  const customBytes = custom === undefined || custom === null ? 0 : utf8Bytes(JSON.stringify(custom));
  return utf8Bytes(note ?? '') + utf8Bytes(JSON.stringify(metadata)) + customBytes;
}

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x8_00) bytes += 2;
    // A surrogate pair has four bytes in UTF-8, so each half counts as two.
    else if (unit >= 0xd8_00 && unit < 0xe0_00) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
