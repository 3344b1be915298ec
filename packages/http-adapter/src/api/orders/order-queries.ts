import {
  type ItemQueryInput,
  ORDER_STATUSES,
  type OrderQueryInput,
  parseItemQuery,
  parseOrderQuery,
  SORT_DEFAULT,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type ListRequest, PAGE_PARAMETERS, readPage } from '../../request/page-request.ts';
import type { Problem } from '../../problems/problem.ts';
import { type PathId, readId, readQuery } from '../../request/request-parameters.ts';
import { RequestFaults } from '../../request/request-faults.ts';

export function readListOrders(request: FastifyRequest): Result<ListRequest<OrderQueryInput>, Problem> {
  const faults = RequestFaults.of(request);
  const known = [...PAGE_PARAMETERS, 'sort', 'status', 'customer_id', 'reference'] as const;
  const { sort, status, customer_id, reference, ...rest } = readQuery(request, known, faults);
  const statuses = status?.split(',');
  // A set: order and duplicates of statuses do not change the list.
  const set = statuses && ORDER_STATUSES.filter((name) => statuses.includes(name)).join(',');
  const filter = [set ?? null, customer_id?.toLowerCase() ?? null, reference ?? null];
  const scope = { list: 'orders', sort: sort ?? SORT_DEFAULT, filter };
  const page = readPage(rest, scope, faults);
  const after = page.after && { value: `${page.after.value}`, id: page.after.id };
  const { limit, offset } = page;
  const input = { sort, status: statuses, customer_id, reference, limit, offset, after };
  return faults.settle({ input, scope, page }, () => parseOrderQuery(input));
}

export function readListItems(
  request: FastifyRequest,
): Result<ListRequest<ItemQueryInput> & { readonly id: PathId }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  // Without the order, whose owner the domain checks: a cursor must not distinguish foreign orders from nonexistent ones.
  const scope = { list: 'items', sort: 'line', filter: [] };
  const page = readPage(readQuery(request, PAGE_PARAMETERS, faults), scope, faults);
  const after = page.after && { value: Number(page.after.value), id: page.after.id };
  const input = { limit: page.limit, offset: page.offset, after };
  return faults.settle({ id, input, scope, page }, () => parseItemQuery(input));
}
