import { HIDDEN_CHARACTERS } from '@orders/http-adapter/settings';

const HIDDEN = new RegExp(`(?!\\r\\n|[\\n\\t])[${HIDDEN_CHARACTERS}]`, 'gu');
const LINE_ENDS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * Returns a text whose hidden characters are spelled as JSON does (`\u001b`): those in a name, a file or a message would
 * control the terminal, or show what follows in another order. Ends of lines and tabs stay. In JSON they stand in texts alone,
 * so that it has the same content. What is `colored` keeps the sequences that set colors.
 */
export function printable(text: string, { colored = false } = {}): string {
  return text.replaceAll(HIDDEN, (character, offset: number) => {
    const isColor = colored && character === '\u001B' && /^\[[\d;]*m/.test(text.slice(offset + 1, offset + 20));
    return isColor ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Returns a text for one line, in which spaces replace control characters and ends of lines. */
export function oneLine(text: string): string {
  return text.replaceAll(LINE_ENDS, ' ');
}

/** Prints a line on standard error. All that a command says there goes through it. */
export function report(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
