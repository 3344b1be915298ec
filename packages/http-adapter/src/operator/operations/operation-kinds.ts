import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, type Result, ResultAsync } from 'neverthrow';
import { type Handle, WRITE } from '../../api/operation.ts';
import { occurrenceOf } from '../../problems/catalog.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readAction, readId } from '../../request/request-parameters.ts';
import { deleted } from '../../response/responses.ts';
import type { SuccessResponse } from '../../response/send-response.ts';

/** What an operation is that is about no owner, changes nothing and has no personal data. */
export const OF_NO_OWNER = { about: 'none', changes: false, reveals: () => false } as const;

/** What a change by an administrator is. */
export const ADMINISTRATION = { ...OF_NO_OWNER, changes: true, role: 'admin', cost: WRITE } as const;

/** What a required body in JSON is. */
export const JSON_BODY = { types: JSON_TYPES, required: true } as const;

/** Returns what is known already as the result of work. */
export function settled<T>(result: Result<T, Problem>): ResultAsync<T, Problem> {
  return new ResultAsync(Promise.resolve(result));
}

/** Returns what handles a request about the id in its path. */
export function ofId(work: (request: FastifyRequest, id: string) => ReturnType<Handle>): Handle {
  return (request) => {
    const faults = RequestFaults.of(request);
    const id = readId(request, faults);
    return readAction(request)
      .andThen(() => faults.toResult(id.toString()))
      .asyncAndThen((valid) => work(request, valid));
  };
}

/** Returns the response for what was done, or `not_found` if there was nothing to do it to. */
export function doneOrNotFound(
  done: ResultAsync<boolean, Unavailable>,
  respond: () => Result<SuccessResponse, Problem> = () => deleted({ replayed: false }),
): ResultAsync<SuccessResponse, Problem> {
  return done.mapErr(toProblem).andThen((isDone) => (isDone ? respond() : err(occurrenceOf('not_found'))));
}
