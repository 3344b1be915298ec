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

/** Throws `cause` as an {@link OwnFault}. */
export function throwOwnFault(cause: unknown): never {
  throw new OwnFault(cause);
}
