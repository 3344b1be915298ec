import { type CursorPosition, type CursorFingerprint, decodeCursor } from './cursor.ts';
import { readInteger } from './request-parameters.ts';
import type { RequestFaults } from './request-faults.ts';

/** The query parameters of every list. */
export const PAGE_PARAMETERS = ['limit', 'offset', 'after'] as const;

/** The parsed page parameters. The domain checks their ranges. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly after: CursorPosition | undefined;
}

/** A parsed list query, and the scope of its cursors. */
export interface ListRequest<Input> {
  readonly input: Input;
  readonly fingerprint: CursorFingerprint;
  readonly page: PageRequest;
}

export function readPage(
  query: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>,
  fingerprint: CursorFingerprint,
  faults: RequestFaults,
): PageRequest {
  const limit = readInteger(query.limit, 'limit', faults);
  const offset = readInteger(query.offset, 'offset', faults);
  if (query.after !== undefined && query.offset !== undefined) {
    faults.add('conflicting_parameters', 'offset', 'invalid_value', 'cannot be combined with after');
  }
  return { limit, offset, after: readCursor(query.after, fingerprint, faults) };
}

function readCursor(
  cursor: string | undefined,
  fingerprint: CursorFingerprint,
  faults: RequestFaults,
): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(fingerprint, cursor);
  return (
    position ?? faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list and query')
  );
}
