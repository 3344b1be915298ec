import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from '../programs/connections.ts';
import { run, startServer } from '../programs/running-server.ts';
import { aDatabase, type TestDatabase } from '../programs/server-on-database.ts';

/** The lock of migrations in the schema `orders`. */
const LOCK = `select pg_advisory_xact_lock(7204117, ${createHash('sha256').update('orders').digest().readInt32BE()})`;
const WAITING = /waiting for another server \(process \d+ of PostgreSQL\) to end its migration, for \d+ s now/;

/** Leaves migrations pending, which wait for a server that does not end. */
async function aDatabaseInMigration(): Promise<TestDatabase> {
  const database = await aDatabase();
  await database.execute(`delete from orders.schema_migrations where name like 'functions%'`);
  await database.lock(LOCK);
  return database;
}

describe('a signal during start-up', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends a server that waits to migrate: %s', async (signal) => {
    const database = await aDatabaseInMigration();
    const server = run('main.ts', { PORT: '0', DATABASE_URL: database.url });
    await server.says(WAITING);
    server.process.kill(signal);
    // The lock is still held.
    expect(await server.finished).toMatchObject({ code: 0, stderr: '' });
    expect(await database.execute('select name from orders.schema_migrations')).toEqual([{ name: '0001-baseline' }]);
  });

  it('ends the command migrate, with the exit code of the signal', async () => {
    const database = await aDatabaseInMigration();
    const command = run('cli.ts', { DATABASE_URL: database.url }, ['migrate']);
    await vi.waitFor(() => expect(command.complaints()).toMatch(WAITING));
    command.process.kill('SIGTERM');
    expect((await command.finished).code).toBe(143);
  });
});

describe('a second signal', () => {
  it('ends a server at once that waits for a request in progress', async () => {
    const server = await startServer({ SHUTDOWN_GRACE_MS: `${60 * 60 * 1000}` });
    await beginOrder(server);
    server.process.kill('SIGINT');
    await server.says(/"stopping"/);
    // One Ctrl-C may arrive twice within half a second; a second one of the user counts.
    const again = setInterval(() => server.process.kill('SIGINT'), 600);
    expect((await server.finished).code).toBe(130);
    clearInterval(again);
  });

  it('counts as the first when it follows immediately', async () => {
    const server = await startServer({ SHUTDOWN_DELAY_MS: '1500' });
    server.process.kill('SIGINT');
    await server.says(/"stopping"/);
    server.process.kill('SIGINT');
    expect((await server.finished).code).toBe(0);
  });
});
