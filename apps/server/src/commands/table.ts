import stringWidth from 'string-width';

/** The head of a column of a table. */
export interface ColumnHead {
  readonly header: string;
  /** Whether cells are aligned at their right. Default: false. */
  readonly isNumber?: boolean;
}

/**
 * Returns the table of cells, each column as wide as its longest cell and two spaces from the next. Columns beyond `width` go on in
 * indented lines below.
 */
export function tableOf(columns: readonly ColumnHead[], rows: readonly (readonly string[])[], width: number): string {
  const lines = [columns.map(({ header }) => header), ...rows];
  const widths = columns.map((_, index) =>
    lines.reduce((max, line) => Math.max(max, stringWidth(line[index] ?? '')), 0),
  );
  let end = -2;
  const gaps = widths.map((each) => {
    const isBelow = end > 0 && end + 2 + each > width;
    end = (isBelow ? 0 : end) + 2 + each;
    return isBelow ? '\n  ' : end === each ? '' : '  ';
  });
  const padded = (cell: string, index: number) => {
    const padding = ' '.repeat((widths[index] ?? 0) - stringWidth(cell));
    return columns[index]?.isNumber ? `${padding}${cell}` : `${cell}${padding}`;
  };
  return lines
    .flatMap((line) =>
      `${line.map((cell, index) => `${gaps[index] ?? ''}${padded(cell, index)}`).join('')}\n`.split(/^/m),
    )
    .map((line) => withinColumns(line.replace(/ +$/m, ''), width))
    .join('');
}

/** Breaks a line behind commas, as a cell that is wider than the terminal may have them. */
function withinColumns(line: string, width: number): string {
  if (line.length <= width + 1 || width < 20) return line;
  return line.replaceAll(new RegExp(`(?=.{${width - 1}}).{3,${width - 3}},`, 'g'), '$&\n  ');
}
