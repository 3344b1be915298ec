import { describe, expect, it, vi } from 'vitest';
import { beginOrder } from '../programs/begin-order.ts';
import { run, startServer } from '../programs/running-server.ts';
import { aDatabase, type TestDatabase } from '../programs/server-on-database.ts';

/** Leaves migrations pending, which wait for a server that does not end. */
async function aDatabaseInMigration(): Promise<TestDatabase> {
  const database = await aDatabase();
  await database.execute(`delete from orders.schema_migrations where name like 'functions%'`);
  await database.lockMigrations();
  return database;
}

const WAITING = /waiting for another server \(process \d+ of PostgreSQL\) to end its migration, for \d+ s now/;

describe('a signal during start-up', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends a server that waits to migrate: %s', async (signal) => {
    const database = await aDatabaseInMigration();
    const server = run('main.ts', { PORT: '0', DATABASE_URL: database.url });
    await server.says(WAITING);
    server.process.kill(signal);
    const { code, stderr } = await server.finished;
    // The lock is still held.
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
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
    const socket = await beginOrder(server);
    socket.on('error', () => undefined); // The server resets the unfinished request.
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
