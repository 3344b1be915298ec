import { type Page, PAGE_LIMIT_DEFAULT } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import { type CursorPosition, type CursorScope, decodeCursor, encodeCursor } from './cursor.ts';
import { readInteger } from './query-parameters.ts';
import type { RequestFaults } from './request-faults.ts';
import { readTarget } from '../connection/request-target.ts';
import type { SuccessResponse } from '../response/send-response.ts';

/** The parameters that every list has. */
export const PAGE_PARAMETERS = ['limit', 'offset', 'after'] as const;

/** The parameters of a page; the domain checks their ranges. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly after: CursorPosition | undefined;
}

/** A parsed list query, and the scope of its cursors. */
export interface ListRequest<Input> {
  readonly input: Input;
  readonly scope: CursorScope;
  readonly page: PageRequest;
}

export function readPage(
  query: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>,
  scope: CursorScope,
  faults: RequestFaults,
): PageRequest {
  const limit = readInteger(query.limit, 'limit', faults);
  const offset = readInteger(query.offset, 'offset', faults);
  if (query.after !== undefined && query.offset !== undefined) {
    faults.add('conflicting_parameters', 'offset', 'invalid_value', 'cannot be combined with after');
  }
  return { limit, offset, after: readCursor(query.after, scope, faults) };
}

function readCursor(cursor: string | undefined, scope: CursorScope, faults: RequestFaults): CursorPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor);
  return position ?? faults.add('invalid_cursor', 'after', 'invalid_value', 'is not a cursor of this list and query');
}

/** A page as every list returns it, with its `Link` to the next (RFC 8288). */
export function presentPage<Element>(
  request: FastifyRequest,
  scope: CursorScope,
  asked: PageRequest,
  { data, next }: Page<unknown, string | number> & { readonly data: readonly Element[] },
): Result<SuccessResponse, never> {
  const cursor = next && encodeCursor(scope, next);
  const { limit = PAGE_LIMIT_DEFAULT } = asked;
  const offset = asked.offset === undefined ? {} : { offset: asked.offset };
  const page = { limit, ...offset, has_more: next !== null, next_cursor: cursor };
  const link = cursor === null ? undefined : { link: `<${nextUrl(request.url, cursor)}>; rel="next"` };
  return ok({ status: 200, headers: { 'cache-control': 'no-store', ...link }, body: { data, page } });
}

/** The request's own path and query, going on behind `cursor`. */
function nextUrl(url: string, cursor: string): string {
  const { path, query } = readTarget(url);
  const rest = query.split('&').filter((pair) => pair !== '' && !/^(after|offset)$/.test(nameOf(pair)));
  return `${path}?${[...rest, `after=${cursor}`].join('&')}`;
}

/** The name in a `name=value` of the query; it is a known one, so it can be decoded. */
function nameOf(pair: string): string {
  return decodeURIComponent(pair.split('=', 1)[0] ?? '');
}
