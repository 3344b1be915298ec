import { readFileSync } from 'node:fs';
import { CompiledQuery } from 'kysely';
import type { Database, Orm } from './database.ts';
import { inTransaction } from './shared/transaction.ts';

const script = readFileSync(new URL('../distribute.sql', import.meta.url), 'utf8');

/**
 * Spreads the tables over the nodes of a Citus cluster by their owner; `database` is its coordinator. Tables that are
 * distributed already are left alone. Where PostgreSQL has no Citus nothing changes.
 *
 * All tables are distributed or none. Writes wait meanwhile, as long as their statement timeout allows.
 */
export async function distribute(database: Database): Promise<'distributed' | 'no_citus'> {
  return await database.patiently(distributeTables);
}

async function distributeTables(orm: Orm): Promise<'distributed' | 'no_citus'> {
  const db = orm.em.getKysely();
  const citus = await db.executeQuery(CompiledQuery.raw(`select from pg_available_extensions where name = 'citus'`));
  if (citus.rows.length === 0) return 'no_citus';
  await db.executeQuery(CompiledQuery.raw('create extension if not exists citus'));
  await inTransaction(orm, async (transaction) => {
    await transaction.executeQuery(CompiledQuery.raw(script));
  });
  return 'distributed';
}
