/** What a `change` or `judge` threw: a bug of the caller, which is never taken for an error of the database. */
export class CallerException extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}

/** Calls a function of the caller. */
export function decided<T>(decide: () => T): T {
  try {
    return decide();
  } catch (cause) {
    throw new CallerException(cause);
  }
}
