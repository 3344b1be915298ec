import type { Statement } from '@orders/postgres-proxy';
import type { Client } from 'pg';
import { attempt } from './attempt.ts';
import type { KeyedWrite, Outcome } from './keyed-writes.ts';
import type { ProxiedDatabase } from './proxied-database.ts';

/** One statement of a write. */
export interface Step {
  /** The position in the write, from 1. */
  readonly number: number;
  readonly text: string;
  /** The description of the step in a test title, with the tables in the text or in the function that it calls. */
  readonly name: string;
}

/** The text of a statement, and the statements that it executes: of the function that it calls, or itself. */
interface Executed {
  readonly text: string;
  readonly executed: string;
}

/** Returns the statements of a write without faults, and its outcome. */
export async function withoutFaults(
  database: ProxiedDatabase,
  write: KeyedWrite,
): Promise<{ readonly steps: readonly Step[]; readonly outcome: Outcome }> {
  const { run } = await attempt(database, await database.open(), write);
  const outcome = (await run())._unsafeUnwrap();
  const { statements } = database.proxy;
  const executed = await Promise.all(statements.map((statement) => withFunction(database.session, statement)));
  return { steps: executed.map(step), outcome };
}

async function withFunction(session: Client, { text }: Statement): Promise<Executed> {
  const [, name = ''] = /^\s*select "orders"\."(\w+)"\(/.exec(text) ?? [];
  const { rows } = await session.query<{ body: string }>('select prosrc as body from pg_proc where proname = $1', [
    name,
  ]);
  return { text, executed: rows[0]?.body ?? text };
}

function step({ text, executed }: Executed, index: number): Step {
  const [verb = ''] = text.trim().split(/\s/);
  const lock = text.endsWith('for update') ? ' for update' : '';
  const name = `${index + 1} (${[executed === text ? verb : 'call', ...tablesIn(executed)].join(' ')}${lock})`;
  return { number: index + 1, text, name };
}

function tablesIn(text: string): readonly string[] {
  return [...new Set(text.match(/(?<="orders"\."?)(orders|customers|idempotency|changes|feeds|webhook_\w+)\b/g))];
}
