import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';
import { unavailable } from './postgres-errors.ts';

/** The answer of a read; a read violates no constraint. */
export function answer<T, E>(read: Promise<Result<T, E>>): ResultAsync<T, E | Unavailable> {
  return new ResultAsync<T, E | Unavailable>(read.catch((thrown: unknown) => err(unavailable(thrown))));
}

/** The rows of a statement that violates no constraint. */
export function ask<Row>(rows: Promise<readonly Row[]>): ResultAsync<readonly Row[], Unavailable> {
  return ResultAsync.fromPromise(rows, unavailable);
}
