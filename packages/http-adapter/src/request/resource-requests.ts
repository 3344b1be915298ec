import { type ChangeOptions, isUuid, type WriteOptions } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type EvaluateConditions, readConditions, readPreconditions } from './preconditions.ts';
import type { Problem } from '../problems/problem.ts';
import { isRecord, readQuery } from './query-parameters.ts';
import { RequestFaults } from './request-faults.ts';

/** Path, query and headers of a request to create a resource. */
export function readCreation(request: FastifyRequest): Result<WriteOptions, Problem> {
  const faults = RequestFaults.of(request);
  readQuery(request, [], faults);
  return faults.settle({ idempotencyKey: readIdempotencyKey(request, faults) });
}

/** Path, query and headers of a request to read a resource. */
export function readRetrieval(request: FastifyRequest): Result<{ id: string; evaluate: EvaluateConditions }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.settle({ id, evaluate: readConditions(request, faults) });
}

/** The headers that a request to change or delete a resource may have. */
export const CHANGE_HEADERS = ['Idempotency-Key', 'If-Match', 'If-None-Match'] as const;

/** Path, query and headers of a request to change or delete a resource. */
export function readChange(request: FastifyRequest): Result<{ id: string; options: ChangeOptions }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  const idempotencyKey = readIdempotencyKey(request, faults);
  return faults.settle({ id, options: { ...readPreconditions(request, faults), idempotencyKey } });
}

/** The id of a resource in the path. */
export function readId(request: FastifyRequest, faults: RequestFaults): string {
  const id = isRecord(request.params) ? request.params['id'] : undefined;
  if (typeof id === 'string' && isUuid(id)) return id.toLowerCase();
  faults.add('invalid_parameter', 'id', 'invalid_format', 'must be a UUID');
  return '';
}

const BARE = /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/;
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;

/** The `Idempotency-Key`, bare or as a quoted string (RFC 9651 section 3.3.3), which are the same key. */
function readIdempotencyKey(request: FastifyRequest, faults: RequestFaults): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const value = typeof header === 'string' ? header : header.join(', ');
  const key = BARE.test(value) ? value : QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  if (key !== undefined && key.length <= 255) return key;
  const rule = 'must be 1 to 255 visible ASCII characters, bare or in quotes';
  return faults.add('invalid_idempotency_key', 'Idempotency-Key', 'invalid_format', rule);
}
