import {
  type AuthorOptions,
  type ChangeOptions,
  isIdempotencyKey,
  ResourceId,
  type WriteOptions,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { type EvaluateConditions, readConditions, readPreconditions } from './preconditions.ts';
import { KEY_RULE } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import { EXTERNAL_USER_ID_HEADER, externalUserIdOf, RequestFaults } from './request-faults.ts';
import { principalOf, resourceIdOf } from '../request-state.ts';

/** Parses path, query and headers of a request to create a resource. */
export function readCreation(request: FastifyRequest): Result<WriteOptions, Problem> {
  const faults = RequestFaults.of(request);
  readQuery(request, [], faults);
  return faults.toResult({ idempotencyKey: readIdempotencyKey(request, faults), ...authorOf(request) });
}

/** Parses query and headers of a request that neither is about one resource nor changes any. */
export function readAction(request: FastifyRequest): Result<null, Problem> {
  const faults = RequestFaults.of(request);
  readQuery(request, [], faults);
  return faults.toResult(null);
}

/** Parses path, query and headers of a request to read a resource. */
export function readRetrieval(request: FastifyRequest): Result<{ id: PathId; evaluate: EvaluateConditions }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  readQuery(request, [], faults);
  return faults.toResult({ id, evaluate: readConditions(request, faults) });
}

/** The optional headers of a request to change or delete a resource. */
export const CHANGE_HEADERS = ['Idempotency-Key', 'If-Match', 'If-None-Match', EXTERNAL_USER_ID_HEADER] as const;

/** The optional headers of a request to create a resource. */
export const CREATION_HEADERS = ['Idempotency-Key', EXTERNAL_USER_ID_HEADER] as const;

/** Parses path, query and headers of a request to change or delete a resource, or a part of it that the path also has. */
export function readChange(
  request: FastifyRequest,
): Result<{ id: PathId; partId: PathId; options: ChangeOptions }, Problem> {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const partId = readPartId(request, faults);
  readQuery(request, [], faults);
  const idempotencyKey = readIdempotencyKey(request, faults);
  const options = { ...readPreconditions(request, faults), idempotencyKey, ...authorOf(request) };
  return faults.toResult({ id, partId, options });
}

/** The id of the resource in the path. Empty if it is invalid; then `faults` prevents the use case from running. */
export type PathId = ResourceId | '';

/** Parses the id of the resource in the path. */
export function readId(request: FastifyRequest, faults: RequestFaults): PathId {
  const id = resourceIdOf(request);
  if (id === undefined) faults.add('invalid_parameter', 'id', 'invalid_format', 'must be a UUID');
  return id ?? '';
}

/** Parses the id of the fulfillment in the path. Empty also without one. */
function readPartId({ params }: FastifyRequest, faults: RequestFaults): PathId {
  const text = isRecord(params) ? params['fulfillment_id'] : undefined;
  const id = typeof text === 'string' ? ResourceId.parse(text) : undefined;
  if (text !== undefined && !id) faults.add('invalid_parameter', 'fulfillment_id', 'invalid_format', 'must be a UUID');
  return id ?? '';
}

/** Returns who makes the change of a request. Its header is validated before, as that of every request. */
export function authorOf(request: FastifyRequest): AuthorOptions {
  return { actor: principalOf(request)?.actor, externalUserId: externalUserIdOf(request) };
}

/** A quoted string (RFC 9651 section 3.3.3). The domain decides which of its contents are a key. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Parses the `Idempotency-Key`. The bare form and the quoted string are the same key. */
function readIdempotencyKey(request: FastifyRequest, faults: RequestFaults): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const value = typeof header === 'string' ? header : header.join(', ');
  const key = value.startsWith('"') ? QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1') : value;
  if (isIdempotencyKey(key)) return key;
  return faults.add('invalid_idempotency_key', 'Idempotency-Key', 'invalid_format', KEY_RULE);
}

/** A date and time, or an offset alone, whose plus has become a space, which it means in a query. */
const LOST_PLUS = /^(?:\d{4}-\d\d-\d\dT[\d:.]+)? \d\d:?\d\d$/i;

/**
 * Parses the query into texts by name. Unknown, repeated and empty parameters are faults. Those in `sets` may be repeated:
 * their text is the comma-separated list of all values, so that a cursor is valid for both forms. Those in `times` are faults
 * if the plus of their offset has become a space.
 */
export function readQuery<Name extends string>(
  request: FastifyRequest,
  known: readonly Name[],
  faults: RequestFaults,
  {
    sets = [],
    times = [],
  }: { readonly sets?: readonly NoInfer<Name>[]; readonly times?: readonly NoInfer<Name>[] } = {},
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  const sent = isRecord(request.query) ? Object.entries(request.query) : [];
  for (const [name, raw] of sent) {
    const parameter = known.find((candidate) => candidate === name);
    const value = parameter !== undefined && sets.includes(parameter) ? joined(raw) : raw;
    if (parameter === undefined)
      faults.add('unknown_parameter', name, 'unknown_field', 'is not a parameter of this operation');
    else if (typeof value !== 'string')
      faults.add('invalid_parameter', name, 'invalid_value', 'must be sent only once');
    else if (value === '') faults.add('invalid_parameter', name, 'too_short', 'must not be empty');
    else if (times.includes(parameter) && LOST_PLUS.test(value))
      faults.add('invalid_parameter', name, 'invalid_format', 'has a space before its offset: write + as %2B in a URL');
    else found[parameter] = value;
  }
  return found;
}

/** Returns repeated values as a comma-separated list. It is empty if one of them is, and any other value stays as it is. */
function joined(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.includes('') ? '' : value.join(',');
}

/** Whether the query or path that Fastify has parsed is an object. */
export function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null;
}

/** Parses an integer without sign or leading zeros. The domain checks its range. */
export function readInteger(value: string | undefined, name: string, faults: RequestFaults): number | undefined {
  if (value === undefined) return undefined;
  if (/^(0|[1-9][0-9]*)$/.test(value)) return Number(value);
  return faults.add(
    'invalid_parameter',
    name,
    'invalid_format',
    'must be an integer of decimal digits without leading zeros',
  );
}
