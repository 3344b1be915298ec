import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { AN_ORDER, aDataDir, type RunningServer, startServer } from '../programs/running-server.ts';
import { aDatabase, LOCK_ORDERS, startServerOn, WAITS_FOR_LOCKS } from '../programs/server-on-database.ts';

/** Returns a function that requests `/readyz`. */
function readinessOf({ url }: RunningServer) {
  return async (): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, body: await response.json() };
  };
}

const READY = { status: 200 };
const notReady = (detail: string) => ({ status: 503, body: { detail } });
const SILENT = notReady('The database does not respond.');

describe('/readyz', () => {
  it('is 503 while the database does not respond, and /livez stays 200', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
    const server = await startServer({ DATABASE_URL: postgres.url });
    await expect.poll(readinessOf(server)).toMatchObject(READY);
    await postgres.stop();
    await expect.poll(readinessOf(server)).toMatchObject(SILENT);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  });

  it('is 200 while every connection of the pool is in use, because a busy server is ready', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...WAITS_FOR_LOCKS, DATABASE_POOL_MAX: '1' });
    const unlock = await database.lock(LOCK_ORDERS);
    const slow = server.request('/v1/orders');
    await vi.waitFor(async () => expect(await database.waitingForLocks()).toBe(1));
    // Longer than the validity of a check plus the time of the next one. A check that a loaded machine delays further
    // is a brief 503, whereas waiting for the pool would last until the lock is released.
    await sleep(5000);
    await expect.poll(readinessOf(server)).toMatchObject(READY);
    expect(await database.waitingForLocks()).toBe(1);
    await unlock();
    expect((await slow).status).toBe(200);
  });

  it('is 200 of a server whose tables are in another schema of the database', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { DATABASE_SCHEMA: 'second', MIGRATE: 'create' });
    await expect.poll(readinessOf(server)).toMatchObject(READY);
    expect((await server.request('/v1/orders')).status).toBe(401);
    const applied = 'select name from second.schema_migrations order by name limit 1';
    expect(await database.execute(applied)).toEqual([{ name: '0001-baseline' }]);
  });

  it('is 503 when the database becomes silent, and 200 when it responds to new connections', async () => {
    const database = await aDatabase();
    const proxy = await startPostgresProxy(database.url);
    onTestFinished(() => proxy.close());
    const server = await startServerOn({ ...database, url: proxy.url });
    await expect.poll(readinessOf(server)).toMatchObject(READY);
    // The connection of the readiness check stays open without a response.
    proxy.fault(1, 'swallowed', ({ text }) => /as read_only$|schema_migrations/.test(text));
    await expect.poll(readinessOf(server)).toMatchObject(SILENT);
    await expect.poll(readinessOf(server)).toMatchObject(READY);
  });

  it('is 503 while the schema is older than the server', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database);
    const last = `(select name from orders.schema_migrations order by name desc limit 1)`;
    await database.execute(`create table kept as select * from orders.schema_migrations where name = ${last}`);
    await database.execute(`delete from orders.schema_migrations where name = ${last}`);
    await expect
      .poll(readinessOf(server))
      .toMatchObject(notReady('The schema of the database is older than this server.'));
    await database.execute('insert into orders.schema_migrations select * from kept');
    await expect.poll(readinessOf(server)).toMatchObject(READY);
  });

  it('is 503 while the database is read-only, and recovers like writes without a restart', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { METRICS_PORT: '0' });
    const readyFor = async (reason: string) => (await scrape(server)).value('orders_ready', { reason });
    const place = async () => (await server.request('/v1/orders', { method: 'POST', body: AN_ORDER })).status;
    expect(await place()).toBe(201);
    // As after a failover to a standby, new sessions can only read.
    await database.execute('alter database orders set default_transaction_read_only = on');
    await database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'orders' and pid <> pg_backend_pid()`,
    );
    await expect.poll(readinessOf(server)).toMatchObject(notReady('The database is read-only; it may be a standby.'));
    await expect.poll(place).toBe(503);
    expect(await readyFor('read_only')).toBe(0);
    expect((await server.request('/v1/orders')).status).toBe(200);
    await database.execute('set transaction read write; alter database orders reset default_transaction_read_only');
    await expect.poll(readinessOf(server)).toMatchObject(READY);
    await expect.poll(place).toBe(201);
    expect(await readyFor('')).toBe(1);
    // One line for each change, not for each check.
    const changes = server.output().match(/"msg":"(not ready|ready again)"/g);
    expect(changes).toEqual(['"msg":"not ready"', '"msg":"ready again"']);
  });

  it('is 503 with the reason while the database accepts no further connection', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database);
    await database.execute('alter database orders connection limit 1');
    await database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'orders' and pid <> pg_backend_pid()`,
    );
    await expect
      .poll(readinessOf(server))
      .toMatchObject(notReady('The database accepts no further connection of this server.'));
  });

  it('is 503 from the stop request on, while the server serves for the configured time', async () => {
    const server = await startServerOn(await aDatabase(), { SHUTDOWN_DELAY_MS: `${60 * 60 * 1000}` });
    server.process.kill('SIGTERM');
    await expect.poll(readinessOf(server)).toMatchObject(notReady('The server is stopping.'));
    expect((await server.request('/v1/orders')).status).toBe(200);
    await server.kill();
  });
});
