const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns what is too much in a JSON text, or `undefined`. Counts each member and element once, and an empty object or
 * array once more. Reads the text up to the first excess, and builds nothing: to parse and to reject a text first would
 * cost up to a hundred times as much. What is found in a text that is no JSON means nothing.
 */
export function findJsonExcess(
  bytes: Uint8Array,
  max: { readonly values: number; readonly depth: number },
): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values += 1;
      if (byte !== COMMA) depth += 1;
      if (depth > max.depth) return 'depth';
      if (values > max.values) return 'values';
    }
  }
  return undefined;
}

/** Returns the offset of the quote that ends a string, or the length of the text. */
function closingQuote(bytes: Uint8Array, opening: number): number {
  let at = opening + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
