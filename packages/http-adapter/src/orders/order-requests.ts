import {
  type ChangeOptions,
  isUuid,
  ORDER_STATUSES,
  type OrderQueryInput,
  PAGE_LIMIT_DEFAULT,
  parseItemQuery,
  parseOrderQuery,
  SORT_DEFAULT,
  type WriteOptions,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { isNotModified, readPreconditions } from '../conventions/conditional-requests.ts';
import type { CursorScope } from '../conventions/cursor.ts';
import { readIdempotencyKey } from '../conventions/idempotency.ts';
import { PAGE_PARAMETERS, type PageRequest, readPage } from '../conventions/pagination.ts';
import type { Problem } from '../conventions/problem-details.ts';
import { isRecord, readQuery } from '../conventions/query-parameters.ts';
import { RequestFaults } from '../conventions/request-faults.ts';

/** A page as it was asked for, and what its cursors are good for. */
export interface ListRequest<Input> {
  readonly input: Input;
  readonly scope: CursorScope;
  readonly page: PageRequest & { readonly limit: number };
}

export function readPlaceOrder(request: FastifyRequest): Result<WriteOptions, Problem> {
  const faults = new RequestFaults();
  readQuery(request, [], faults);
  return faults.settle({ idempotencyKey: readIdempotencyKey(request, faults) });
}

export function readGetOrder(
  request: FastifyRequest,
): Result<{ id: string; notModified: (version: number) => boolean }, Problem> {
  const faults = new RequestFaults();
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.settle({ id, notModified: isNotModified(request, faults) });
}

export function readChangeOrder(request: FastifyRequest): Result<{ id: string; options: ChangeOptions }, Problem> {
  const faults = new RequestFaults();
  const id = readId(request, faults);
  readQuery(request, [], faults);
  const idempotencyKey = readIdempotencyKey(request, faults);
  return faults.settle({ id, options: { ...readPreconditions(request, faults), idempotencyKey } });
}

export function readListOrders(request: FastifyRequest): Result<ListRequest<OrderQueryInput>, Problem> {
  const faults = new RequestFaults();
  const known = [...PAGE_PARAMETERS, 'sort', 'status', 'customer_id', 'reference'] as const;
  const { sort, status, customer_id, reference, ...rest } = readQuery(request, known, faults);
  const statuses = status?.split(',');
  // A set: neither the order nor the repetition of statuses makes another list.
  const set = statuses && ORDER_STATUSES.filter((name) => statuses.includes(name)).join(',');
  const filter = [set ?? null, customer_id?.toLowerCase() ?? null, reference ?? null];
  const scope = { list: 'orders', sort: sort ?? SORT_DEFAULT, filter };
  const page = readPage(rest, scope, faults);
  const after = page.after && { value: `${page.after.value}`, id: page.after.id };
  const { limit, offset } = page;
  const input = { sort, status: statuses, customer_id, reference, limit, offset, after };
  const judged = parseOrderQuery(input);
  if (judged.isErr()) faults.addInvalid(judged.error);
  return faults.settle({ input, scope, page: { ...page, limit: page.limit ?? PAGE_LIMIT_DEFAULT } });
}

export function readListItems(request: FastifyRequest) {
  const faults = new RequestFaults();
  const id = readId(request, faults);
  const scope = { list: 'items', sort: 'line', filter: [id] };
  const page = readPage(readQuery(request, PAGE_PARAMETERS, faults), scope, faults);
  const after = page.after && { value: Number(page.after.value), id: page.after.id };
  const input = { limit: page.limit, offset: page.offset, after };
  const judged = parseItemQuery(input);
  if (judged.isErr()) faults.addInvalid(judged.error);
  return faults.settle({ id, input, scope, page: { ...page, limit: page.limit ?? PAGE_LIMIT_DEFAULT } });
}

function readId(request: FastifyRequest, faults: RequestFaults): string {
  const id = isRecord(request.params) ? request.params['id'] : undefined;
  if (typeof id === 'string' && isUuid(id)) return id.toLowerCase();
  faults.add('invalid_parameter', 'id', 'invalid_format', 'must be a UUID');
  return '';
}
