/**
 * Returns the JSON text of an input, as `JSON.stringify` writes it. A `bigint`, which that rejects, is a number if a number
 * can hold it exactly, and otherwise a text of digits, which no amount and quantity accepts.
 *
 * @throws {TypeError} the input contains itself
 */
export function jsonOf(input: unknown): string {
  // In a list, because nothing alone, such as `undefined`, has no text.
  return JSON.stringify([input], (_, value: unknown) => (typeof value === 'bigint' ? exact(value) : value)).slice(
    1,
    -1,
  );
}

/**
 * Returns an input as a server would receive it, so that a domain in the same program handles it alike: members that are
 * `undefined` are left out, a `Date` is text, and no object has a class.
 *
 * @throws {TypeError} the input contains itself
 */
export function asSent<T>(input: T): T;
export function asSent(input: unknown): unknown {
  const sent: unknown = JSON.parse(jsonOf(input));
  return sent;
}

function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
