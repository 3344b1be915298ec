import type { OrdersDatabase } from '@orders/persistence';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../operator-error.ts';

/** Options of {@link prepareSchema}. */
interface Preparation {
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/**
 * Brings the schema into the state that a server needs, as far as `MIGRATE` permits. A schema without tables is never filled by
 * default: it is more likely that `DATABASE_URL` or `DATABASE_SCHEMA` names the wrong one.
 *
 * @throws {OperatorError} the schema needs what `MIGRATE` does not permit
 */
export async function prepareSchema(
  database: OrdersDatabase,
  { MIGRATE, DATABASE_URL, DATABASE_SCHEMA }: Config,
  options: Preparation,
): Promise<void> {
  const permitted = MIGRATE ?? (DATABASE_URL === undefined ? 'create' : 'pending');
  if (permitted !== 'create') {
    const { applied, pending, unknown } = await database.schemaStatus();
    if (applied.length === 0 && unknown.length === 0)
      throw new OperatorError([
        `its schema "${DATABASE_SCHEMA}" has no tables of Orders; check DATABASE_URL and DATABASE_SCHEMA, or run pnpm orders migrate to create them`,
      ]);
    if (permitted === 'off') requireApplied(pending);
  }
  await database.migrate(options);
}

/**
 * Checks that the schema is that of this release.
 *
 * @throws {OperatorError} the schema is older or newer
 */
export async function requireCurrentSchema(database: OrdersDatabase): Promise<void> {
  const { pending, unknown } = await database.schemaStatus();
  requireApplied(pending);
  if (unknown.length > 0) {
    throw new OperatorError([
      `the schema is newer than this release (unknown: ${unknown.join(', ')}): use the release that created it, or a later one`,
    ]);
  }
}

function requireApplied(pending: readonly string[]): void {
  if (pending.length === 0) return;
  throw new OperatorError([
    `the schema is older than this release (not applied: ${pending.join(', ')}): run pnpm orders migrate`,
  ]);
}
