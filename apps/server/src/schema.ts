import type { Database } from '@orders/persistence';
import { StartupError } from './operator-error.ts';

/**
 * Refuses to go on unless the schema is that of this release.
 *
 * @throws {StartupError} it is older or newer
 */
export async function requireCurrentSchema(database: Database): Promise<void> {
  const { pending, unknown } = await database.schemaStatus();
  if (pending.length > 0) {
    throw new StartupError([`the schema is older than this release (not applied: ${pending.join(', ')}); run migrate`]);
  }
  if (unknown.length > 0) {
    throw new StartupError([`the schema is newer than this release (unknown: ${unknown.join(', ')}); use its release`]);
  }
}
