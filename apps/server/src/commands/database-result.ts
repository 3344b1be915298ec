import type { Result, ResultAsync } from 'neverthrow';
import { OperatorError, reasonOf } from '../operator-error.ts';

/** An error of the database, or of a use case. */
interface Failed {
  readonly type: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly cause?: unknown;
}

/**
 * Returns the value of a result of the database or of a use case.
 *
 * @throws {OperatorError} it is an error
 */
export async function databaseResult<T>(result: Result<T, Failed> | ResultAsync<T, Failed>): Promise<T> {
  return (await result).match(
    (value) => value,
    (error) => {
      const { errors = [] } = error;
      if (errors.length > 0) throw new OperatorError(errors.map(({ field, message }) => `${field}: ${message}`));
      throw 'cause' in error ? databaseFailure(error.cause) : new OperatorError([`the command failed: ${error.type}`]);
    },
  );
}

/** Returns the error of a query that failed. `advice` is what to do, after a semicolon. Default: nothing. */
export function databaseFailure(cause: unknown, advice = ''): OperatorError {
  return new OperatorError([`the database query failed: ${reasonOf(cause)}${advice}`], { cause });
}
