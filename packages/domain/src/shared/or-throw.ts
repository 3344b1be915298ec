import type { Result, ResultAsync } from 'neverthrow';

/** An error of a use case. */
interface UseCaseError {
  readonly type: string;
  readonly cause?: unknown;
}

/** Error: a use case has failed, and {@link orThrow} threw that. The `cause` is that of `unavailable`. */
export class Rejected<E extends UseCaseError = UseCaseError> extends Error {
  override readonly name = 'Rejected';
  /** The code of the error, such as `reference_taken`. */
  readonly type: E['type'];
  /** The error as the use case returned it. */
  readonly details: E;

  constructor(details: E) {
    super(`the use case failed with ${details.type}`, 'cause' in details ? { cause: details.cause } : {});
    this.type = details.type;
    this.details = details;
  }
}

/**
 * Returns the value of a result, or throws its error as an `Error` with a stack. For programs that let expected errors throw,
 * such as inside a transaction of another library, which an exception rolls back.
 *
 * @throws {Rejected} the use case has failed; an error that is an `Error`, such as `TransactionFailed`, is thrown itself
 */
export function orThrow<T, E extends UseCaseError>(result: Result<T, E>): T;
export function orThrow<T, E extends UseCaseError>(result: ResultAsync<T, E>): Promise<T>;
export function orThrow<T, E extends UseCaseError>(result: Result<T, E> | ResultAsync<T, E>): T | Promise<T> {
  if ('then' in result) return Promise.resolve(result).then((settled) => orThrow(settled));
  if (result.isOk()) return result.value;
  throw result.error instanceof Error ? result.error : new Rejected(result.error);
}

/** A use case whose errors are of this type. */
type UseCaseOf<E extends UseCaseError> = (...input: never) => ResultAsync<unknown, E>;

/**
 * Whether a caught error was thrown by {@link orThrow}, in any copy of this package.
 *
 * @param _useCase the use case that may have failed, such as `domain.placeOrder`; gives `details` its type, and is not called
 */
export function isRejected<E extends UseCaseError = UseCaseError>(
  cause: unknown,
  _useCase?: UseCaseOf<E>,
): cause is Rejected<E> {
  return (
    typeof cause === 'object' && cause !== null && 'name' in cause && cause.name === 'Rejected' && 'details' in cause
  );
}
