import type { z } from 'zod';
import { ENVIRONMENT } from '../src/config/config.ts';

const [BEGIN, END] = ['<!-- configuration: begin -->', '<!-- configuration: end -->'];

/** A value that every variable with a format rejects. Its error message states the accepted values. */
const INVALID = '\u0000';

/** The tables, by what an operator does: the names of the variables of each. */
const GROUPS = {
  'Where the server listens': /^(NODE_ENV|HOST|PORT|PUBLIC_BASE_URL|TRUST_PROXY|CORS_ORIGINS|TLS_.*)$/,
  'The listener for operators': /^ADMIN_/,
  'The database': /^(DATABASE_.*|DATA_DIR|MIGRATE|STATEMENT_TIMEOUT_MS|LOCK_TIMEOUT_MS)$/,
  'Orders, and how long things are kept': /^(ORDERS_DEFINITION|STATISTICS|IDEMPOTENCY_TTL_HOURS|.*_RETENTION_DAYS)$/,
  'Bearer tokens': /^AUTH_JWT_/,
  'Limits of clients':
    /^(RATE_LIMIT_.*|REDIS_URL|.*_LIMIT_BYTES|REQUEST_TIMEOUT_MS|RESPONSE_READ_TIMEOUT_MS|UNREAD_BYTES_MAX)$/,
  Webhooks: /^WEBHOOK/,
  'A stop': /^SHUTDOWN_/,
  'Logs, metrics and traces': /^(LOG|METRICS|OTEL)_/,
};

/** Returns the text with the tables of all variables updated between its two markers. */
export function withConfigurationTable(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the text lacks the markers ${BEGIN} and ${END}`);
  return `${text.slice(0, begin)}${BEGIN}\n\n${tables()}\n${text.slice(end)}`;
}

function tables(): string {
  const groups = Object.groupBy(Object.entries(ENVIRONMENT.shape), ([name]) => groupOf(name));
  return Object.keys(GROUPS)
    .map((group) => `## ${group}\n\n${tableOf(groups[group] ?? [])}`)
    .join('\n');
}

function groupOf(name: string): string {
  const [group, ...others] = Object.entries(GROUPS).flatMap(([title, names]) => (names.test(name) ? [title] : []));
  if (group === undefined || others.length > 0) throw new Error(`${name} is in no group, or in several`);
  return group;
}

function tableOf(variables: readonly (readonly [string, z.ZodType])[]): string {
  const header = ['variable', 'meaning', 'default', 'accepted values'];
  const rows = variables.map(([name, variable]) => [
    `\`${name}\``,
    variable.description ?? '',
    defaultOf(variable),
    acceptedValues(variable),
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
