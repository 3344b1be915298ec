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
  // Without the endpoint, so that a cursor does not distinguish foreign endpoints from nonexistent ones.
  const fingerprint = { list: 'webhook_deliveries', sort: '-position', filter: [status ?? null] };
  const page = readPage(rest, fingerprint, faults);
  const before = page.after && Number(page.after.value);
  if (before !== undefined && !(Number.isSafeInteger(before) && before >= 1)) {
    faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list and query');
  }
  const { limit } = page;
  return faults.toResult({ id, input: { limit, before, status }, fingerprint, page }, () =>
    parseDeliveryQuery({ limit, status }),
  );
}

/** Parses the path of a request to send a message to an endpoint. */
export function readSending(request: FastifyRequest): Result<PathId, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.toResult(id);
}
