import { setTimeout as sleep } from 'node:timers/promises';
import { execute } from './execute.ts';

/** Maximum time for which autovacuum may keep a database, in milliseconds. */
const RETRIES_MS = 30_000;

/**
 * Drops a database and ends its sessions. Retries while autovacuum works in the database: its worker belongs to the
 * superuser, and the role of the tests may not end it.
 */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const lastAt = Date.now() + RETRIES_MS;
  for (;;) {
    try {
      await execute(adminUrl, `drop database if exists ${name} with (force)`);
      return;
    } catch (cause) {
      if (Date.now() > lastAt) throw cause;
      await sleep(200);
    }
  }
}
