import { vi } from 'vitest';
import { execute } from './execute.ts';

/**
 * Drops a database and ends its sessions. Retries while autovacuum works in the database: its worker belongs to the
 * superuser, and the role of the tests may not end it.
 */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await vi.waitFor(() => execute(adminUrl, `drop database if exists ${name} with (force)`), {
    timeout: 30_000,
    interval: 200,
  });
}
