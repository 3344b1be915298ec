import {
  type ItemQueryInput,
  type OrderVersionQueryInput,
  parseItemQuery,
  parseOrderVersionQuery,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type ListRequest, PAGE_PARAMETERS, readPage } from '../../request/page-request.ts';
import type { Problem } from '../../problems/problem.ts';
import { isRecord, type PathId, readId, readInteger, readQuery } from '../../request/request-parameters.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { VERSION_MAX } from '../schemas.ts';

export function readListItems(
  request: FastifyRequest,
): Result<ListRequest<ItemQueryInput> & { readonly id: PathId }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const list = { list: 'items', sort: 'line', filter: [], value: 'number' } as const;
  const page = readPage(readQuery(request, PAGE_PARAMETERS, faults), list, faults);
  const { limit, offset, after } = page;
  const input = { limit, offset, after };
  return faults.toResult({ id, input, page }, () => parseItemQuery(input));
}

export function readListVersions(
  request: FastifyRequest,
): Result<ListRequest<OrderVersionQueryInput> & { readonly id: PathId }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const list = { list: 'versions', sort: '-version', filter: [], value: 'number' } as const;
  const { at, ...rest } = readQuery(request, ['limit', 'after', 'at'], faults, { times: ['at'] });
  const page = readPage(rest, list, faults);
  if (at !== undefined && rest.after !== undefined) {
    faults.add('conflicting_parameters', 'at', 'invalid_value', 'cannot be combined with after');
  }
  const input = { limit: page.limit, after: page.after, at };
  return faults.toResult({ id, input, page }, () => parseOrderVersionQuery(input));
}

/** Parses path and query of a request to read one version. */
export function readGetVersion(
  request: FastifyRequest,
): Result<{ readonly id: PathId; readonly version: number }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const version = readVersion(request, faults);
  readQuery(request, [], faults);
  return faults.toResult({ id, version });
}

/** Parses the version in the path. 0 if it is invalid; then `faults` prevents the use case from running. */
function readVersion({ params }: FastifyRequest, faults: RequestFaults): number {
  const text = isRecord(params) ? params['version'] : undefined;
  const version = readInteger(typeof text === 'string' ? text : '', 'version', faults);
  if (version === undefined) return 0;
  if (version >= 1 && version <= VERSION_MAX) return version;
  faults.add('invalid_parameter', 'version', 'out_of_range', `must be from 1 to ${VERSION_MAX}`);
  return 0;
}
