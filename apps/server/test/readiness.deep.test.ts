import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AN_ORDER, aDataDir, type RunningServer, startServer } from './running-server.ts';
import { aDatabase, startServerOn, WAITS_FOR_LOCKS } from './server-on-database.ts';

const PATIENTLY = { timeout: 20_000 };

/** How `/readyz` answers. */
async function readinessOf(server: RunningServer): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${server.url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

function notReady(detail: string) {
  return { status: 503, body: { detail } };
}

async function statusOf(server: RunningServer, path: string): Promise<number> {
  return (await fetch(server.url + path)).status;
}

describe('/readyz', () => {
  it('says no while the database does not answer, which is no reason to start another process', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
    const server = await startServer({ DATABASE_URL: postgres.url });
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
    await postgres.stop();
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject(notReady('The database does not answer.'));
    expect(await statusOf(server, '/livez')).toBe(200);
  });

  it('says yes while every connection of the pool is in use, for a server that is busy is there', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...WAITS_FOR_LOCKS, DATABASE_POOL_MAX: '1' });
    const unlock = await database.lockOrders();
    const slow = server.ask('/v1/orders');
    await vi.waitFor(async () => expect(await database.waitingForLocks()).toBe(1), 20_000);
    // For longer than a result is kept, and the next one may take. One that a loaded machine delays beyond that is a 503
    // that passes, whereas waiting for the pool would be one until the lock is released.
    await sleep(5000);
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
    expect(await database.waitingForLocks()).toBe(1);
    await unlock();
    expect((await slow).status).toBe(200);
  });

  it('says no when the database falls silent, and yes as soon as it can be reached anew', async () => {
    const database = await aDatabase();
    const proxy = await startPostgresProxy(database.url);
    onTestFinished(() => proxy.close());
    const server = await startServerOn({ ...database, url: proxy.url }, {});
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
    // The connection that its readiness is asked on goes on to be there, but nothing comes over it any more.
    proxy.fault(1, 'swallowed', ({ text }) => /as read_only$|schema_migrations/.test(text));
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject(notReady('The database does not answer.'));
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
  });

  it('says no while the schema is older than the server', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, {});
    const last = `(select name from schema_migrations order by name desc limit 1)`;
    await database.execute(`create table kept as select * from schema_migrations where name = ${last}`);
    await database.execute(`delete from schema_migrations where name = ${last}`);
    await expect
      .poll(() => readinessOf(server), PATIENTLY)
      .toMatchObject(notReady('The schema of the database is older than this server.'));
    await database.execute('insert into schema_migrations select * from kept');
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
  });

  it('says no while the database is read-only, and both it and writes recover without a restart', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, {});
    const place = async () => (await server.ask('/v1/orders', { method: 'POST', body: AN_ORDER })).status;
    expect(await place()).toBe(201);
    // As after a failover to a standby: those who come anew can only read.
    await database.execute('alter database orders set default_transaction_read_only = on');
    await database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'orders' and pid <> pg_backend_pid()`,
    );
    await expect
      .poll(() => readinessOf(server), PATIENTLY)
      .toMatchObject(notReady('The database is read-only; it may be a standby.'));
    await expect.poll(place, PATIENTLY).toBe(503);
    expect((await server.ask('/v1/orders')).status).toBe(200);
    await database.execute('set transaction read write; alter database orders reset default_transaction_read_only');
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject({ status: 200 });
    await expect.poll(place, PATIENTLY).toBe(201);
  });

  it('says no as soon as the server is told to stop, which goes on to answer as long as it was told', async () => {
    const server = await startServerOn(await aDatabase(), { SHUTDOWN_DELAY_MS: `${60 * 60 * 1000}` });
    server.process.kill('SIGTERM');
    await expect.poll(() => readinessOf(server), PATIENTLY).toMatchObject(notReady('The server is stopping.'));
    expect((await server.ask('/v1/orders')).status).toBe(200);
    await server.kill();
  });
});
