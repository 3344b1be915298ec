import { err, type Result, ResultAsync } from 'neverthrow';
import type { DomainError, ListError } from '../problems/entry.ts';
import { toListProblem, toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import type { SuccessResponse } from './send-response.ts';

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
