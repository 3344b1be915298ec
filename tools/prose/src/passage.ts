/** Text that a person reads. */
export interface Passage {
  readonly kind: 'text' | 'suite title' | 'test title' | 'identifier';
  /** One paragraph, list item, table cell or sentence of a program; code in it is replaced by `x`. */
  readonly text: string;
  /** The number of the line that it begins on. */
  readonly line: number;
}

export interface Finding {
  readonly line: number;
  readonly message: string;
}

const BLOCK_START = /^\s*(?:[-*+]|\d+\.|#{1,6}|>|@\w+|\|)(?:\s|$)/;

/**
 * Splits Markdown, which docstrings are too, into its paragraphs, headings, list items and table cells. Code, addresses
 * and HTML do not count as text.
 */
export function passagesOfMarkdown(markdown: string, firstLine = 1): Passage[] {
  const passages: Passage[] = [];
  let text = '';
  let start = firstLine;
  const end = () => {
    if (/\p{L}/u.test(text)) passages.push({ kind: 'text', text, line: start });
    text = '';
  };
  for (const [index, line] of withoutCode(markdown).split('\n').entries()) {
    if (line.trim() === '' || BLOCK_START.test(line)) end();
    if (text === '') start = firstLine + index;
    if (line.startsWith('|')) {
      for (const cell of line.split(/(?<!\\)\|/)) {
        end();
        text = cell;
      }
    } else {
      text += `${line.replace(BLOCK_START, ' ')}\n`;
    }
  }
  end();
  return passages;
}

/** Keeps the line breaks, so that a line keeps its number. */
function withoutCode(markdown: string): string {
  const blank = (match: string) => match.replaceAll(/[^\n]/g, ' ');
  const word = (match: string) => match.replaceAll(/[^\n]/g, 'x');
  return markdown
    .replaceAll(/^---\n[\s\S]*?\n---\n/g, blank)
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank)
    .replaceAll(/(`+)(?!`)[^`]+?\1/g, word)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/<\/?[a-z][^>]*>/gi, blank)
    .replaceAll(/\{@\w+ [^}]*\}/g, word)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll(/^\[[^\]]+\]: .*$/gm, blank)
    .replaceAll(/\bhttps?:\/\/[^\s)>]+/g, word);
}
