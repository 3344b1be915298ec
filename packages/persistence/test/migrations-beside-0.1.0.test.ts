import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';
import { failureOf, recorded } from './migrating.ts';

/** Opens a session with the name of those of release 0.1.0. */
async function sessionOfRelease010(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'orders' });
  await client.connect();
  return client;
}

describe('a migration that breaks release 0.1.0', () => {
  it('is refused while a server of that release is connected, and runs after it was stopped', async () => {
    const url = await emptyDatabase();
    const database = openDatabase({ url });
    const server = await sessionOfRelease010(url);
    const other = await sessionOfRelease010(inject('postgresUrl'));
    try {
      const { rows } = await server.query<{ pid: number }>('select pg_backend_pid() as pid');
      expect(await failureOf(database.migrate())).toContain(
        `migration 0007-items-of-orders cannot run beside servers of release 0.1.0, whose sessions are the processes ${rows[0]?.pid} of`,
      );
      // Migrations beside which that release works have been applied.
      expect((await recorded(url)).at(-1)).toBe('0006-customer-lists');
      await server.end();
      await database.migrate();
      expect(await database.pendingMigrations()).toEqual([]);
    } finally {
      await other.end();
      await database.close();
    }
  });

  it('runs beside sessions of this release', async () => {
    const url = await emptyDatabase();
    const databases = [openDatabase({ url }), openDatabase({ url })] as const;
    try {
      await databases[0].ping();
      await databases[1].migrate();
      const names = await execute(
        url,
        `select distinct application_name as name from pg_stat_activity
        where datname = current_database() and application_name like 'orders%'`,
      );
      expect(names).toEqual([{ name: 'orders/2' }]);
    } finally {
      for (const database of databases) await database.close();
    }
  });
});
