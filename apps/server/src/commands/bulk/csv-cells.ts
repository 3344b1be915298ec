/**
 * Where a spreadsheet would begin a formula: at the start of a text, and, for one that splits rows at semicolons, behind
 * each of them and each end of a line, with a quote or without. Apostrophes there are part of the text.
 */
const FORMULA = String.raw`(?<=(?:^|[\r\n;])"?)(?=ESCAPE'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])`;
const BEGINS = new RegExp(FORMULA.replace('ESCAPE', ''), 'g');
const ESCAPED = new RegExp(`${FORMULA.replace('ESCAPE', "'")}'`, 'g');

/** Returns a text as a cell that a spreadsheet does not run: an apostrophe is before each formula. */
export function escapeFormulas(text: string): string {
  return text.replaceAll(BEGINS, "'");
}

/** Returns the text of a cell that {@link escapeFormulas} has made. */
export function unescapeFormulas(cell: string): string {
  return cell.replaceAll(ESCAPED, '');
}
