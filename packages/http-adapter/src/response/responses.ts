import type { FastifyRequest } from 'fastify';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { entityTag, type EvaluateConditions, NO_TRANSFORM, unfinishedTag } from '../request/preconditions.ts';
import type { DomainError, ListError } from '../problems/entry.ts';
import { toListProblem, toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import type { SuccessResponse } from './send-response.ts';
import { setCreatedId } from '../request-state.ts';
import { canonicalPath } from '../request/api-version.ts';

/** A resource in a response. */
interface Versioned {
  readonly id: string;
  readonly version: number;
  /** The work behind a version. Its end changes the resource without a further version. */
  readonly erasure?: { readonly status: 'pending' | 'done' } | null;
}

/** Converts the result of a use case to a response: a success by `present`, an error to its problem. */
export function toResponse<T, E extends DomainError>(
  result: ResultAsync<T, E>,
  present: (value: T) => Result<SuccessResponse, Problem>,
): ResultAsync<SuccessResponse, Problem> {
  return new ResultAsync(result.match(present, (error) => err(toProblem(error))));
}

/** Converts the result of a list to a response. Invalid input of a list is 400, because it is in the URL. */
export function toListResponse<T, E extends ListError>(
  result: ResultAsync<T, E>,
  present: (value: T) => Result<SuccessResponse, Problem>,
): ResultAsync<SuccessResponse, Problem> {
  return new ResultAsync(result.match(present, (error) => err(toListProblem(error))));
}

/** Returns the response for a resource: 200, or 304 if the client has the current version. */
export function retrieved(body: Versioned, evaluate: EvaluateConditions): Result<SuccessResponse, Problem> {
  const condition = evaluate(body.version);
  if (condition === 'mismatch') return err(toProblem({ type: 'precondition_failed', current_version: body.version }));
  const headers = { etag: tagOf(body), 'cache-control': `private, no-cache, ${NO_TRANSFORM}` };
  return ok(condition === 'not_modified' ? { status: 304, headers } : { status: 200, headers, body });
}

/** Returns the response for a resource that this request, or the original of a replay, has created. */
export function created(
  request: FastifyRequest,
  collection: string,
  body: Versioned,
  replayed: boolean,
): Result<SuccessResponse, never> {
  setCreatedId(request, body.id);
  const location = `${canonicalPath(collection)}/${body.id}`;
  return ok({ status: 201, headers: changeHeaders(body, replayed), location, body });
}

/** Returns the response for a resource that this request, or the original of a replay, has changed. */
export function changed(body: Versioned, replayed: boolean): Result<SuccessResponse, never> {
  return ok({ status: 200, headers: changeHeaders(body, replayed), body });
}

/**
 * Returns the response for what has no entity tag and is never cached: a version of a resource, whose contents a deletion,
 * an erasure or the retention changes, figures, and outcomes: of a test, of several writes, or of work that follows.
 */
export function uncached(body: unknown, status: SuccessResponse['status'] = 200): Result<SuccessResponse, never> {
  return ok({ status, headers: { 'cache-control': 'no-store' }, body });
}

/** Returns the response for a deletion. */
export function deleted({ replayed }: { readonly replayed: boolean }): Result<SuccessResponse, never> {
  return ok({ status: 204, headers: { 'cache-control': 'no-store', ...replayHeader(replayed) } });
}

function changeHeaders(body: Versioned, replayed: boolean): Record<string, string> {
  return { etag: tagOf(body), 'cache-control': `no-store, ${NO_TRANSFORM}`, ...replayHeader(replayed) };
}

/** Returns the entity tag of a resource. */
function tagOf({ version, erasure }: Versioned): string {
  return erasure?.status === 'pending' ? unfinishedTag(version) : entityTag(version);
}

/** Returns the header that marks a replay. */
export function replayHeader(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {};
}
