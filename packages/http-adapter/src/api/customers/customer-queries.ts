import { type PageQueryInput, parsePageQuery, SORT_DEFAULT } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type ListRequest, PAGE_PARAMETERS, readPage } from '../../request/page-request.ts';
import type { Problem } from '../../problems/problem.ts';
import { readQuery } from '../../request/query-parameters.ts';
import { RequestFaults } from '../../request/request-faults.ts';

/** Customers are never looked for by email: personal data has no place in a URL. */
export function readListCustomers(request: FastifyRequest): Result<ListRequest<PageQueryInput>, Problem> {
  const faults = RequestFaults.of(request);
  const { sort, ...rest } = readQuery(request, [...PAGE_PARAMETERS, 'sort'], faults);
  const scope = { list: 'customers', sort: sort ?? SORT_DEFAULT, filter: [] };
  const page = readPage(rest, scope, faults);
  const after = page.after && { value: `${page.after.value}`, id: page.after.id };
  const input = { sort, limit: page.limit, offset: page.offset, after };
  const parsed = parsePageQuery(input);
  if (parsed.isErr()) faults.addInvalid(parsed.error);
  return faults.settle({ input, scope, page });
}
