import type { z } from 'zod';
import { ENVIRONMENT } from '../src/config/config.ts';

const [BEGIN, END] = ['<!-- configuration: begin -->', '<!-- configuration: end -->'];

/** A value that every variable with a format rejects. Its error message states the accepted values. */
const INVALID = '\u0000';

/** Returns the text with the table of all variables updated between its two markers. */
export function withConfigurationTable(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the text lacks the markers ${BEGIN} and ${END}`);
  return `${text.slice(0, begin)}${BEGIN}\n\n${table()}\n${text.slice(end)}`;
}

function table(): string {
  const header = ['variable', 'default', 'accepted values', 'meaning'];
  const rows = Object.entries(ENVIRONMENT.shape).map(([name, variable]) => [
    `\`${name}\``,
    defaultOf(variable),
    acceptedValues(variable),
    variable.description ?? '',
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [header, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}

/** Returns the default of a variable. */
function defaultOf(variable: z.ZodType): string {
  const value = variable.parse(undefined);
  const text = Array.isArray(value) ? value.join(', ') : value;
  const some = (typeof text === 'string' && text !== '') || typeof text === 'number';
  return some ? `\`${text}\`` : 'none';
}

function acceptedValues(variable: z.ZodType): string {
  const error = variable.safeParse(INVALID).error;
  return error?.issues[0]?.message.replace(/^must be /, '') ?? 'any text';
}
