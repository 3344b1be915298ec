import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { Type } from 'typebox';
import { PAGE_QUERY, Uuid } from '../../api/schemas.ts';
import type { Problem } from '../../problems/problem.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readInteger, readQuery } from '../../request/request-parameters.ts';

/** The query parameters of a list whose ids rise with the time, the newest first. */
export const NEWEST_QUERY = {
  limit: PAGE_QUERY.limit,
  before: Type.Unsafe<string>({ ...Uuid, title: undefined, description: 'The last id of the page before' }),
};

/** Parses the query of such a list. */
export function readNewestQuery(
  request: FastifyRequest,
): Result<{ readonly before: string | null; readonly limit: number }, Problem> {
  const faults = RequestFaults.of(request);
  const sent = readQuery(request, ['limit', 'before'], faults);
  const limit = readLimit(sent.limit, faults);
  if (sent.before !== undefined && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sent.before))
    faults.add('invalid_parameter', 'before', 'invalid_format', 'must be a UUID');
  return faults.toResult({ before: sent.before ?? null, limit });
}

/** Parses the limit of a page. */
export function readLimit(sent: string | undefined, faults: RequestFaults): number {
  const limit = readInteger(sent, 'limit', faults) ?? PAGE_LIMIT_DEFAULT;
  if (limit < 1 || limit > PAGE_LIMIT_MAX)
    faults.add('invalid_parameter', 'limit', 'out_of_range', `must be between 1 and ${PAGE_LIMIT_MAX}`);
  return limit;
}
