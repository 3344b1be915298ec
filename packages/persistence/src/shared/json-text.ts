/** An escape, behind an even number of backslashes, that `JSON.stringify` writes for U+0000 or a lone surrogate. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * The JSON text of a value. A column of type `json` would keep U+0000 and lone surrogates, as escapes that no other
 * type of PostgreSQL can read.
 *
 * @throws {TypeError} for text that PostgreSQL cannot carry
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes('\\u') && NOT_STORABLE.test(text)) throw new TypeError('text with U+0000 or a lone surrogate');
  return text;
}
