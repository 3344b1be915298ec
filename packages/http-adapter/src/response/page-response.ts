import { type Page, PAGE_LIMIT_DEFAULT } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import { readTarget } from '../connection/request-head.ts';
import { encodeCursor } from '../request/cursor.ts';
import type { PageRequest } from '../request/page-request.ts';
import type { SuccessResponse } from './send-response.ts';

/** Returns the response for a page of a list, with the `Link` to the next page (RFC 8288). */
export function presentPage<Element>(
  request: FastifyRequest,
  requested: PageRequest,
  { data, next }: Page<unknown, string | number> & { readonly data: readonly Element[] },
): Result<SuccessResponse, never> {
  const cursor = next && encodeCursor(requested.fingerprint, next);
  const { limit = PAGE_LIMIT_DEFAULT } = requested;
  const offset = requested.offset === undefined ? {} : { offset: requested.offset };
  const page = { limit, ...offset, has_more: next !== null, next_cursor: cursor };
  const link = cursor === null ? undefined : { link: nextLink(request.url, cursor) };
  return ok({ status: 200, headers: { 'cache-control': 'no-store', ...link }, body: { data, page } });
}

/** Returns the `Link` to the next page: the path and query of the request, with its start replaced by `cursor`. */
export function nextLink(url: string, cursor: string): string {
  const { path, query } = readTarget(url);
  const rest = query.split('&').filter((pair) => pair !== '' && !/^(after|offset|start)$/.test(nameOf(pair)));
  return `<${path}?${[...rest, `after=${cursor}`].join('&')}>; rel="next"`;
}

/** Returns the name in a `name=value` of the query. Decoding cannot fail, because the query is validated. */
function nameOf(pair: string): string {
  return decodeURIComponent(pair.split('=', 1)[0] ?? '');
}
