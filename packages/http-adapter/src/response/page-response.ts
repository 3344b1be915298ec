import { type Page, PAGE_LIMIT_DEFAULT } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { ok, type Result } from 'neverthrow';
import { readTarget } from '../connection/request-head.ts';
import { prefixOf } from '../request/api-version.ts';
import { encodeCursor } from '../request/cursor.ts';
import type { PageRequest } from '../request/page-request.ts';
import type { SuccessResponse } from './send-response.ts';

/** Returns the response for a page of a list, with the link to the next page. */
export function presentPage<Element>(
  request: FastifyRequest,
  requested: PageRequest,
  { data, next }: Page<unknown, string | number> & { readonly data: readonly Element[] },
): Result<SuccessResponse, never> {
  const cursor = next && encodeCursor(requested.fingerprint, next);
  const { limit = PAGE_LIMIT_DEFAULT } = requested;
  const offset = requested.offset === undefined ? {} : { offset: requested.offset };
  const page = { limit, ...offset, has_more: next !== null, next_cursor: cursor };
  const following = cursor === null ? undefined : nextPage(request, cursor);
  return ok({ status: 200, headers: { 'cache-control': 'no-store' }, next: following, body: { data, page } });
}

/** Returns the path and query of the next page in the API: those of the request, with its start replaced by `cursor`. */
export function nextPage({ url, server }: FastifyRequest, cursor: string): string {
  const { path, query } = readTarget(url);
  // By segments, because a client may have encoded some characters of the prefix.
  const own = path.split('/').slice(prefixOf(server).split('/').length).join('/');
  const rest = query.split('&').filter((pair) => pair !== '' && !/^(after|offset|start)$/.test(nameOf(pair)));
  return `/${own}?${[...rest, `after=${cursor}`].join('&')}`;
}

/** Returns the name in a `name=value` of the query. Decoding cannot fail, because the query is validated. */
function nameOf(pair: string): string {
  return decodeURIComponent(pair.split('=', 1)[0] ?? '');
}
