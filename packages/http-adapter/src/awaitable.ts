/** What is there already, or will be. What is there is not waited for: most requests find all they need remembered. */
export type Awaitable<T> = T | Promise<T>;

/** Tells `proceed` what `begin` comes to, or `fail` why it comes to nothing, be that thrown at once or later. */
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
