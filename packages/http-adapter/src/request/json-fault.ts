const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, POINT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const LITERALS = ['true', 'false', 'null'].map((literal) => Buffer.from(literal));

/**
 * Returns the zero-based offset of the first byte that no JSON text in UTF-8 can have there (RFC 8259). Returns the length
 * if the text ends too early, and `undefined` if it is valid. Takes linear time. Not done by a package, because parsers on
 * npm report the start of the invalid token, count UTF-16 units, or are recursive.
 */
export function findJsonFault(bytes: Uint8Array): number | undefined {
  /** The expected closing brackets, the innermost last. */
  const closings: number[] = [];
  let expected: 'value' | 'first element' | 'first name' | 'name' | 'colon' | 'rest' = 'value';
  let at = 0;
  for (;;) {
    at = spaceEnd(bytes, at);
    const byte = bytes[at];
    const closing = closings.at(-1);
    const mayClose = expected === 'rest' || expected === 'first element' || expected === 'first name';
    let end = at + 1;
    if (expected === 'rest' && closing === undefined) return at === bytes.length ? undefined : at;
    if (mayClose && byte !== undefined && byte === closing) {
      closings.pop();
      expected = 'rest';
    } else if (expected === 'rest') {
      if (byte !== COMMA) return at;
      expected = closing === CLOSE_BRACE ? 'name' : 'value';
    } else if (expected === 'colon') {
      if (byte !== COLON) return at;
      expected = 'value';
    } else if (expected === 'name' || expected === 'first name') {
      end = stringEnd(bytes, at);
      expected = 'colon';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      closings.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
      expected = byte === OPEN_BRACE ? 'first name' : 'first element';
    } else {
      end = scalarEnd(bytes, at);
      expected = 'rest';
    }
    if (end < 0) return ~end;
    at = end;
  }
}

// Each function below returns the end of its part of the text, or the complement (`~`) of the offset of a fault.

function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function scalarEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  const literal = LITERALS.find(([initial]) => initial === first);
  if (!literal) return numberEnd(bytes, start);
  const wrong = literal.findIndex((byte, index) => bytes[start + index] !== byte);
  return wrong === -1 ? start + literal.length : ~(start + wrong);
}

function numberEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  // A leading zero cannot be followed by a digit.
  let end = bytes[first] === 0x30 ? first + 1 : digitsEnd(bytes, first);
  if (end >= 0 && bytes[end] === POINT) end = digitsEnd(bytes, end + 1);
  if (end < 0 || (bytes[end] !== 0x65 && bytes[end] !== 0x45)) return end;
  const signed = bytes[end + 1] === MINUS || bytes[end + 1] === 0x2b;
  return digitsEnd(bytes, end + (signed ? 2 : 1));
}

/** Expects at least one digit. */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isBetween(bytes[at], 0x30, 0x39)) at += 1;
  return at === start ? ~at : at;
}

function stringEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return ~start;
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < 0x20) return ~at;
    const end = byte === BACKSLASH ? escapeEnd(bytes, at + 1) : characterEnd(bytes, at, byte);
    if (end < 0) return end;
    at = end;
  }
}

function escapeEnd(bytes: Uint8Array, start: number): number {
  const letter = String.fromCodePoint(bytes[start] ?? 0);
  if ('"\\/bfnrt'.includes(letter)) return start + 1;
  if (letter !== 'u') return ~start;
  for (let at = start + 1; at <= start + 4; at += 1) {
    const byte = bytes[at];
    if (!isBetween(byte, 0x30, 0x39) && !isBetween(byte, 0x41, 0x46) && !isBetween(byte, 0x61, 0x66)) return ~at;
  }
  return start + 5;
}

/** Expects one character in UTF-8 (RFC 3629 section 4). Some first bytes restrict the second one. */
function characterEnd(bytes: Uint8Array, start: number, first: number): number {
  if (first < 0x80) return start + 1;
  if (!isBetween(first, 0xc2, 0xf4)) return ~start;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!isBetween(bytes[start + 1], least, most)) return ~(start + 1);
  const end = start + (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
  for (let at = start + 2; at < end; at += 1) {
    if (!isBetween(bytes[at], 0x80, 0xbf)) return ~at;
  }
  return end;
}

function isBetween(byte: number | undefined, least: number, most: number): boolean {
  return byte !== undefined && least <= byte && byte <= most;
}
