/** The escape that `JSON.stringify` writes for U+0000 or a lone surrogate, after an even number of backslashes. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Serializes a value to JSON. A column of type `json` would store U+0000 and lone surrogates as escapes that no other
 * type of PostgreSQL can read.
 *
 * @throws {TypeError} the value contains text that PostgreSQL cannot store
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes('\\u') && NOT_STORABLE.test(text))
    throw new TypeError('text contains U+0000 or a lone surrogate, which PostgreSQL cannot store');
  return text;
}
