import { APPLICATION_NAME_OF_010 } from '../shared/application-names.ts';
import type { MigrationSession } from './migration-session.ts';

/** Every role sees the process, database and name of all sessions (PostgreSQL, section 27.2.3). */
const PROCESSES = `select string_agg(pid::text, ', ' order by pid) as pids from pg_stat_activity
  where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`;

/**
 * Rejects a migration while servers of release 0.1.0 are connected to the database: they would fail on its result, and
 * what they write meanwhile would be lost.
 *
 * @throws {Error} such a server is connected
 */
export async function refuseBesideRelease010(session: MigrationSession, migration: string): Promise<void> {
  const [row] = await session.run(PROCESSES, [APPLICATION_NAME_OF_010]);
  const pids = row?.['pids'];
  if (typeof pids !== 'string') return;
  throw new Error(
    `migration ${migration} cannot run beside servers of release 0.1.0, whose sessions are the processes ${pids} of ` +
      'PostgreSQL. Stop these servers, then migrate again. A pooler may keep their sessions open for some minutes.',
  );
}
