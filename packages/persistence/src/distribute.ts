import { readFileSync } from 'node:fs';
import type { Connected } from './connect.ts';
import type { Database } from './database.ts';

const script = readFileSync(new URL('../distribute.sql', import.meta.url), 'utf8');

/**
 * Distributes the tables over the nodes of a Citus cluster by owner; `database` is its coordinator. Tables that are
 * distributed already stay as they are. Without Citus nothing changes.
 *
 * Either all tables are distributed or none. Writes wait in the meantime, up to their statement timeout.
 */
export async function distribute(database: Database): Promise<'distributed' | 'no_citus'> {
  return await database.withoutTimeLimits(distributeTables);
}

async function distributeTables({ primary }: Connected): Promise<'distributed' | 'no_citus'> {
  const citus = { name: '', text: `select from pg_available_extensions where name = 'citus'` };
  if ((await primary.execute(citus, [])).length === 0) return 'no_citus';
  await primary.run('create extension if not exists citus');
  await primary.transaction((transaction) => transaction.run(script));
  return 'distributed';
}
