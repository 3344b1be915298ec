import { type DeliveryQueryInput, parseDeliveryQuery } from '@orders/domain/webhooks';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';
import { type ListRequest, readPage } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { type PathId, readId, readQuery } from '../../request/request-parameters.ts';

/** Parses path and query of a list of deliveries. */
export function readListDeliveries(
  request: FastifyRequest,
): Result<ListRequest<DeliveryQueryInput> & { readonly id: PathId }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const { status, ...rest } = readQuery(request, ['limit', 'after', 'status'], faults);
  const list = { list: 'webhook_deliveries', sort: '-position', filter: [status ?? null], value: 'number' } as const;
  const page = readPage(rest, list, faults);
  const input = { limit: page.limit, after: page.after, status };
  return faults.toResult({ id, input, page }, () => parseDeliveryQuery(input));
}

/** Parses the path of a request to send a message to an endpoint. */
export function readSending(request: FastifyRequest): Result<PathId, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.toResult(id);
}
