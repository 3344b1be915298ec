/** Checks whether `input`, of any type, is text of 1 to 255 printable ASCII characters. */
export function isPrintable(input: unknown): input is string {
  return typeof input === 'string' && /^[\x20-\x7e]{1,255}$/.test(input);
}

/**
 * Throws unless `input` is text of 1 to 255 printable ASCII characters.
 *
 * @throws {TypeError} with `name`, which says what the input is; the message omits its value, which may be personal data
 */
export function assertPrintable(name: string, input: unknown): asserts input is string {
  if (isPrintable(input)) return;
  const got = typeof input === 'string' ? `a string of ${input.length}` : `a value of type ${typeof input}`;
  throw new TypeError(`the ${name} must be a string of 1 to 255 printable ASCII characters, got ${got}`);
}
