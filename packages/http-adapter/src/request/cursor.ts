import { hash } from 'node:crypto';
import type { Position } from '@orders/domain';

/** The types of the values that lists are sorted by. */
interface Values {
  readonly string: string;
  readonly number: number;
}

/** A type of {@link Values}. */
export type ValueType = keyof Values;

/** The list, sort order and filter for which a cursor is valid, and the type of its value. */
export interface CursorFingerprint<Type extends ValueType = ValueType> {
  readonly list: string;
  readonly sort: string;
  /** The normalized filter: all its parts, in a fixed order and spelling. */
  readonly filter: readonly unknown[];
  readonly value: Type;
}

const FORMAT = 1;

/**
 * Encodes a position as an opaque cursor: base64url of a JSON array of format number, list, sort, digest of the filter,
 * value, id, and a checksum of all of these. It contains no secret and no owner, and stays valid after the deletion of its
 * row.
 */
export function encodeCursor(fingerprint: CursorFingerprint, { value, id }: Position<string | number>): string {
  const parts = [FORMAT, fingerprint.list, fingerprint.sort, digestOfFilter(fingerprint), value, id];
  return Buffer.from(JSON.stringify([...parts, digest(parts)])).toString('base64url');
}

/**
 * Decodes a cursor. Returns `undefined` if it is damaged, or belongs to another list, sort order or filter. The checksum has
 * no key, so that a client can make up a position: the domain validates it.
 */
export function decodeCursor<Type extends ValueType>(
  fingerprint: CursorFingerprint<Type>,
  cursor: string,
): Position<Values[Type]> | undefined;
export function decodeCursor(fingerprint: CursorFingerprint, cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding base64url is lenient, but only the canonical spelling is a valid cursor.
  if (bytes.toString('base64url') !== cursor) return undefined;
  const parts = parseArray(bytes.toString());
  if (parts?.length !== 7 || parts.at(6) !== digest(parts.slice(0, 6))) return undefined;
  const [format, list, sort, filter, value, id] = parts;
  if (
    format !== FORMAT ||
    list !== fingerprint.list ||
    sort !== fingerprint.sort ||
    filter !== digestOfFilter(fingerprint)
  ) {
    return undefined;
  }
  return typeof id === 'string' && typeof value === fingerprint.value ? { value, id } : undefined;
}

function digest(value: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 11);
}

/** The digest of most filters, computed once: it takes longer than the rest of a cursor. */
const NO_FILTER = digest([]);

function digestOfFilter({ filter }: CursorFingerprint): string {
  return filter.length === 0 ? NO_FILTER : digest(filter);
}

function parseArray(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined; // Not JSON, so no cursor.
  }
}
