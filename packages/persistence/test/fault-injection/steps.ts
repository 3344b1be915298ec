import type { Statement } from '@orders/postgres-proxy';
import { attempt } from './attempt.ts';
import type { KeyedWrite, Outcome } from './keyed-writes.ts';
import type { ProxiedDatabase } from './proxied-database.ts';

/** One statement of a write. */
export interface Step {
  /** The position in the write, from 1. */
  readonly number: number;
  readonly text: string;
  /** The tables in the text. */
  readonly tables: readonly string[];
  /** The tables that earlier statements of its transaction contain. */
  readonly touched: readonly string[];
  /** The description of the step in a test title. */
  readonly name: string;
}

/** Returns the statements of a write without faults, and its outcome. */
export async function withoutFaults(
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
