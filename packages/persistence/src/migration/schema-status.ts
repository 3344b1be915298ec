import type { SchemaStatus } from '../database/database.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { inSchema, MIGRATIONS_TABLE } from '../tables/schema.ts';
import { FUNCTIONS_PREFIX, type Migration } from './migrations-list.ts';

/**
 * Compares the schema with `migrations`, without changing anything. All are pending in a database without the table.
 *
 * @internal
 */
export async function schemaStatus(
  database: Pick<OpenedPools, 'primary' | 'orm'>,
  migrations: readonly Migration[],
): Promise<SchemaStatus> {
  const recorded = await recordedNames(database);
  const known = new Set(migrations.map(({ name }) => name));
  return {
    applied: [...known].filter((name) => recorded.has(name)),
    pending: [...known].filter((name) => !recorded.has(name)),
    // Functions of other releases are not used, so they make no difference.
    unknown: [...recorded].filter((name) => !known.has(name) && !name.startsWith(FUNCTIONS_PREFIX)),
  };
}

const RECORDED = `select name from our.${MIGRATIONS_TABLE} order by name`;

async function recordedNames({ primary, orm }: Pick<OpenedPools, 'primary' | 'orm'>): Promise<ReadonlySet<string>> {
  try {
    const rows = await primary.execute<{ readonly name: string }>({ text: inSchema(orm, RECORDED) }, []);
    return new Set(rows.map(({ name }) => name));
  } catch (cause) {
    if (errorCode(cause) === '42P01') return new Set();
    throw cause;
  }
}
