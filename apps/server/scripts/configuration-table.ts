import type { z } from 'zod';
import { ENVIRONMENT } from '../src/config.ts';

const [BEGIN, END] = ['<!-- configuration: begin -->', '<!-- configuration: end -->'];

/** A value that no variable may have, unless it may have any: what is said of it is what the variable may be. */
const IMPOSSIBLE = '\u0000';

/** The text with the table of all variables between its two markers brought up to date. */
export function withConfigurationTable(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`there is no place between ${BEGIN} and ${END}`);
  return `${text.slice(0, begin)}${BEGIN}\n\n${table()}\n${text.slice(end)}`;
}

function table(): string {
  const header = ['variable', 'default', 'what it may be', 'meaning'];
  const rows = Object.entries(ENVIRONMENT.shape).map(([name, variable]) => [
    `\`${name}\``,
    absent(variable),
    possible(variable),
    variable.description ?? '',
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [header, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}

/** What a variable is when it is not set. */
function absent(variable: z.ZodType): string {
  const value = variable.parse(undefined);
  const some = typeof value === 'string' || typeof value === 'number';
  return some ? `\`${value}\`` : 'none';
}

function possible(variable: z.ZodType): string {
  const refusal = variable.safeParse(IMPOSSIBLE).error;
  return refusal?.issues[0]?.message.replace(/^must be /, '') ?? 'any text';
}
