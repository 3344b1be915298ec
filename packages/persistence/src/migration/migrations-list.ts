import { readdirSync, readFileSync } from 'node:fs';

/** One SQL file of `migrations/`. */
export interface Migration {
  /** The file's name without `.sql`; migrations run in the order of their names. */
  readonly name: string;
  /** The scripts to run, in order: one script in a transaction, or single statements outside of one. */
  readonly steps: readonly string[];
  /** Whether all steps and the record of the migration are one transaction. */
  readonly isTransactional: boolean;
}

/** The first line of a migration that runs outside a transaction, which `create index concurrently` requires. */
const OUTSIDE_TRANSACTION = '-- Outside a transaction.';

/**
 * Parses the text of a migration.
 *
 * A file that begins with `-- Outside a transaction.` runs statement by statement. Each statement ends with a semicolon
 * at the end of a line. An interrupted file runs again from its beginning, so each statement must be repeatable:
 * `create index concurrently` (a valid index is skipped, an invalid one is built again), `drop index concurrently if
 * exists`, `alter table … validate constraint`, `analyze`.
 */
export function parseMigration(name: string, text: string): Migration {
  if (!text.startsWith(OUTSIDE_TRANSACTION)) return { name, steps: [text], isTransactional: true };
  const steps = text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((step) => step.trim())
    .filter((step) => step !== '');
  return { name, steps, isTransactional: false };
}

/** The beginning of the names of the migrations that create the functions of a release. */
export const FUNCTIONS_PREFIX = 'functions_';

const folder = new URL('../../migrations/', import.meta.url);

/**
 * The migrations of this release. They are the only source of the schema; no difference is computed from the entities.
 */
export const MIGRATIONS: readonly Migration[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .map((file) => parseMigration(file.replace(/\.sql$/, ''), readFileSync(new URL(file, folder), 'utf8')));
