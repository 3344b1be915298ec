/** What is there already, or will be. What is there is not waited for: most requests find all they need remembered. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with what there is or will be. */
export function goOn<T, U>(value: Awaitable<T>, proceed: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}
