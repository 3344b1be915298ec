import { openDatabase } from '@orders/persistence';
import { expect, vi } from 'vitest';
import type { MigrateOptions } from '../../src/database/database.ts';
import { migrate } from '../../src/migration/migrate.ts';
import { parseMigration } from '../../src/migration/migrations-list.ts';
import { execute } from '../fixtures/execute.ts';

export const TABLE = parseMigration('0001-table', 'create table our.notes (id int, note text)');
export const COLUMN = parseMigration('0002-column', 'alter table our.notes add column author text null');
export const INDEX = parseMigration(
  '0003-index',
  `-- Outside a transaction.
   create index concurrently notes_id on our.notes (id);
   create index concurrently notes_note on our.notes (note);
  `,
);
export const ALL = [TABLE, COLUMN, INDEX];
export const names = (list: typeof ALL) => list.map(({ name }) => name);

/** Migrates as a server whose release has the migrations `list`. */
export async function migrateWith(url: string, list: typeof ALL, options?: MigrateOptions): Promise<readonly string[]> {
  const database = openDatabase({ url });
  try {
    return await database.withoutTimeLimits((own) => migrate(own, options, list));
  } finally {
    await database.close();
  }
}

/** Returns options that record the log, and a function to abort their signal. */
export function logged(): {
  lines: string[];
  options: MigrateOptions & { signal: AbortSignal };
  stop: AbortController;
} {
  const lines: string[] = [];
  const stop = new AbortController();
  return { lines, stop, options: { log: (line) => lines.push(line), signal: stop.signal } };
}

/** Returns the error of a migration as text; empty when it succeeded. */
export function failureOf(migrating: Promise<unknown>): Promise<string> {
  return migrating.then(() => '', String);
}

export async function recorded(url: string): Promise<readonly unknown[]> {
  return (await execute(url, 'select name from schema_migrations order by id')).map(({ name }) => name);
}

export async function invalidIndexes(url: string): Promise<readonly unknown[]> {
  return await execute(url, 'select indexrelid::regclass::text as name from pg_index where not indisvalid');
}

export async function waitsForLock(url: string, atLeast = '0 seconds'): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
    and query_start <= clock_timestamp() - interval '${atLeast}'`;
  await vi.waitFor(async () => expect(await execute(url, waiting)).not.toEqual([]));
}
