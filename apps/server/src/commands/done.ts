import type { ResultAsync } from 'neverthrow';
import { StartupError } from '../operator-error.ts';

/**
 * What the database answered.
 *
 * @throws {StartupError} it could not be asked
 */
export async function done<T>(result: ResultAsync<T, { readonly cause: unknown }>): Promise<T> {
  return await result.match(
    (value) => value,
    ({ cause }) => {
      throw new StartupError([`the database cannot be asked: ${String(cause)}`], { cause });
    },
  );
}
