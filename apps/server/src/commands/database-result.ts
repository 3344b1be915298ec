import type { ResultAsync } from 'neverthrow';
import { OperatorError } from '../operator-error.ts';

/**
 * Returns the value of a database result.
 *
 * @throws {OperatorError} the database query failed
 */
export async function databaseResult<T>(result: ResultAsync<T, { readonly cause: unknown }>): Promise<T> {
  return await result.match(
    (value) => value,
    ({ cause }) => {
      throw new OperatorError([`the database query failed: ${String(cause)}`], { cause });
    },
  );
}
