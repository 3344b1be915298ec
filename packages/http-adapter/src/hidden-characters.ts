/**
 * The characters that are shown as none on a line, as the members of a class of a regular expression with `u`: they control a
 * terminal, are halves, end the line, or change the order in which others are shown (Unicode TR 9).
 */
export const HIDDEN_CHARACTERS = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}`;

const LINE = new RegExp(`^[^${HIDDEN_CHARACTERS}]+$`, 'u');

/** Whether a text may be a name or a reason, which lists show on one line: it has 1 to `lengthMax` characters, none hidden. */
export function isLine(text: string, lengthMax: number): boolean {
  return text.length <= lengthMax && LINE.test(text);
}
