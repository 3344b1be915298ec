/**
 * Marks what the code of the API, or of what it calls, threw. Whatever `statusCode` that has, of a database's client for
 * instance, it is a bug or an outage of the server and no rejection of the request.
 */
export class OwnFault extends Error {
  override readonly name = 'OwnFault';

  constructor(cause: unknown) {
    super('the orders API failed', { cause });
  }
}

/** Wraps a function of the API, so that what it throws or rejects with is an {@link OwnFault}. */
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
