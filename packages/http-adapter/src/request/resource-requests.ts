import { type ChangeOptions, isUuid, type WriteOptions } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type EvaluateConditions, readConditions, readPreconditions } from './preconditions.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
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
