import { type Page, parsePageQuery, type Timestamp } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { PAGE_QUERY } from '../../api/schemas.ts';
import { toListProblem } from '../../problems/from-domain.ts';
import { readPage } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readQuery } from '../../request/request-parameters.ts';
import { presentPage } from '../../response/page-response.ts';

/** The query parameters of a list in the order of creation. */
export const CREATED_QUERY = { limit: PAGE_QUERY.limit, after: PAGE_QUERY.after };

/** Parses which page of such a list a request is for, and returns how to present it. What the list is of is the `filter`. */
export function readCreatedPage(
  request: FastifyRequest,
  list: string,
  filter: readonly unknown[] = [],
  faults: RequestFaults = RequestFaults.of(request),
) {
  const fingerprint = { list, sort: 'created_at', filter, value: 'string' } as const;
  const page = readPage(readQuery(request, ['limit', 'after'], faults), fingerprint, faults);
  const { limit, after } = page;
  const parse = () => parsePageQuery({ limit, after });
  const present = (found: Page<unknown, Timestamp>) => presentPage(request, page, found);
  return faults.toResult(null, parse).andThen(() =>
    parse()
      .map((query) => ({ query: { limit: query.limit, after: query.after }, present }))
      .mapErr(toListProblem),
  );
}
