import type { Statement } from '@orders/postgres-proxy';
import { attempt } from './attempt.ts';
import type { KeyedWrite, Outcome } from './keyed-writes.ts';
import type { ProxiedDatabase } from './proxied-database.ts';

/** One statement of a write. */
export interface Step {
  /** Which one it is, from 1. */
  readonly number: number;
  readonly text: string;
  /** The tables that it names. */
  readonly tables: readonly string[];
  /** Those that its transaction named before. */
  readonly touched: readonly string[];
  /** Says in a test's name which one it is. */
  readonly name: string;
}

/** What a write executes when nothing disturbs it, and what it answers then. */
export async function undisturbed(
  database: ProxiedDatabase,
  write: KeyedWrite,
): Promise<{ readonly steps: readonly Step[]; readonly outcome: Outcome }> {
  const { run } = await attempt(database, await database.open(), write);
  const outcome = (await run())._unsafeUnwrap();
  return { steps: database.proxy.statements.map(step), outcome };
}

function step({ text }: Statement, index: number, statements: readonly Statement[]): Step {
  const tables = tablesIn(text);
  const begin = statements.findLastIndex((earlier, at) => at < index && earlier.text === 'begin');
  const touched = begin < 0 ? [] : statements.slice(begin, index).flatMap((earlier) => tablesIn(earlier.text));
  const [verb = ''] = text.trim().split(/\s/);
  const lock = text.endsWith('for update') ? ' for update' : '';
  return { number: index + 1, text, tables, touched, name: `${index + 1} (${[verb, ...tables].join(' ')}${lock})` };
}

function tablesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\b(orders|customers|once|outbox)\b/g))];
}
