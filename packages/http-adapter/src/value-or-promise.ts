/** A value or a promise of it. Values are used synchronously, because most requests find their data in a cache. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `proceed` with a value, at once unless it has to be awaited. */
export function after<T, U>(value: Awaitable<T>, proceed: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}

/** Calls `proceed` with the result of `begin`, or `fail` with the error that it throws or rejects with. */
export function settle<T>(
  begin: () => Awaitable<T>,
  proceed: (value: T) => void,
  fail: (cause: unknown) => void,
): void {
  let begun: Awaitable<T>;
  try {
    begun = begin();
  } catch (cause) {
    fail(cause);
    return;
  }
  if (begun instanceof Promise) begun.then(proceed).catch(fail);
  else proceed(begun);
}
