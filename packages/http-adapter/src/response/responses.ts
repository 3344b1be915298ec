import type { FastifyRequest } from 'fastify';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { entityTag, type JudgeRead } from '../request/preconditions.ts';
import { type DomainError, type ListError, toListProblem, toProblem } from '../problems/from-domain.ts';
import { replayHeader } from '../request/idempotency-key.ts';
import { prefixOf } from '../connection/prefix.ts';
import type { Problem } from '../problems/problem.ts';
import type { Answer } from './send-response.ts';
import { canonicalPath } from '../request/api-version.ts';

/** A resource with a version, as it is answered. */
interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** What a use case came to, as it is answered. */
export function answered<T, E extends DomainError>(
  result: ResultAsync<T, E>,
  present: (value: T) => Result<Answer, Problem>,
): ResultAsync<Answer, Problem> {
  return settled(result, (known) => (known.isOk() ? present(known.value) : err(toProblem(known.error))));
}

/** The same of a list, whose refusals are about the URL. */
export function answeredList<T, E extends ListError>(
  result: ResultAsync<T, E>,
  present: (value: T) => Result<Answer, Problem>,
): ResultAsync<Answer, Problem> {
  return settled(result, (known) => (known.isOk() ? present(known.value) : err(toListProblem(known.error))));
}

/** In one step, as each of neverthrow's own takes several turns of the event loop. */
function settled<T, E>(
  result: ResultAsync<T, E>,
  answer: (known: Result<T, E>) => Result<Answer, Problem>,
): ResultAsync<Answer, Problem> {
  return new ResultAsync(Promise.resolve(result.then<Result<Answer, Problem>, never>(answer)));
}

/** A resource that was read; without a body for a client that has this version. */
export function retrieved(body: Versioned, judge: JudgeRead): Result<Answer, Problem> {
  const judged = judge(body.version);
  if (judged === 'mismatch') return err(toProblem({ type: 'version_mismatch', current_version: body.version }));
  const headers = { etag: entityTag(body.version), 'cache-control': 'private, no-cache' };
  return ok(judged === 'not_modified' ? { status: 304, headers } : { status: 200, headers, body });
}

/** A resource that was created in a collection, now or when the request was first sent. */
export function created(
  request: FastifyRequest,
  collection: string,
  body: Versioned,
  replayed: boolean,
): Result<Answer, never> {
  const location = `${prefixOf(request.server)}${canonicalPath(collection)}/${body.id}`;
  return ok({ status: 201, headers: { ...changeHeaders(body, replayed), location }, body });
}

/** A resource that was changed, now or when the request was first sent. */
export function changed(body: Versioned, replayed: boolean): Result<Answer, never> {
  return ok({ status: 200, headers: changeHeaders(body, replayed), body });
}

/** A deletion. */
export function deleted({ replayed }: { readonly replayed: boolean }): Result<Answer, never> {
  return ok({ status: 204, headers: { 'cache-control': 'no-store', ...replayHeader(replayed) } });
}

function changeHeaders({ version }: Versioned, replayed: boolean): Record<string, string> {
  return { etag: entityTag(version), 'cache-control': 'no-store', ...replayHeader(replayed) };
}
