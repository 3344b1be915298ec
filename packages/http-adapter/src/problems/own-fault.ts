/**
 * Wraps an error that the API, or code that it calls, has thrown. Even with a `statusCode`, for example of a database
 * client, such an error is a bug or an outage of the server, not a rejection of the request.
 */
export class OwnFault extends Error {
  override readonly name = 'OwnFault';

  constructor(cause: unknown) {
    super('the orders API failed', { cause });
  }
}

/** Wraps a function of the API, so that it throws or rejects with an {@link OwnFault} only. */
export function withOwnFaults<Args extends readonly unknown[], T>(
  run: (...args: Args) => T | Promise<T>,
): (...args: Args) => T | Promise<T> {
  return (...args) => {
    try {
      const result = run(...args);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (cause) {
      return fail(cause);
    }
  };
}

function fail(cause: unknown): never {
  throw new OwnFault(cause);
}
