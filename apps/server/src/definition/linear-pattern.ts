import { RE2JS } from 're2js';

/** Maximum size of a compiled pattern, in instructions. With 16 KiB of text it takes a tenth of a second at most. */
export const PATTERN_SIZE_MAX = 2000;

/** A regular expression whose time is linear in the text. */
export interface LinearPattern {
  readonly test: (text: string) => boolean;
  /** Returns the pattern. Ajv takes two expressions with the same text for one. */
  readonly toString: () => string;
}

/**
 * Compiles a regular expression of JavaScript for RE2. A backtracking engine would let a client block the server with a
 * text that a careless pattern needs exponential time for.
 *
 * @throws {Error} the pattern is invalid or too large, or RE2 does not support it
 */
export function linearPattern(pattern: string): LinearPattern {
  // RE2 also accepts syntax that is not JavaScript's.
  const translated = RE2JS.translateRegExp(new RegExp(pattern, 'u'));
  const compiled = compile(translated);
  const size = compiled.programSize();
  if (size > PATTERN_SIZE_MAX) throw new Error(`is too large: ${size} instructions, at most ${PATTERN_SIZE_MAX}`);
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

function compile(translated: string): RE2JS {
  try {
    return RE2JS.compile(translated);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace('error parsing regexp: ', '') : String(cause);
    throw new Error(`is not supported, as its time would not be bounded: ${reason}`, { cause });
  }
}
