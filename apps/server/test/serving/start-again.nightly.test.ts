import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { aFolder, listedIds, placeOrder, run, startServer } from '../programs/running-server.ts';

it('a restarted server makes a new key when the file has none', async () => {
  const first = await startServer();
  const id = await placeOrder(first);
  await first.stop();
  await writeFile(join(first.dataDir, 'demo-api-key'), 'nonsense\n');
  expect(await listedIds(await startServer({ DATA_DIR: first.dataDir }))).toEqual([id]);
});

it('a server ends with the reason when its PostgreSQL ends', async () => {
  const server = await startServer();
  const postmaster = Number((await readFile(join(server.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(postmaster, 'SIGKILL');
  const { code, stderr } = await server.finished;
  expect(code).toBe(1);
  expect(stderr).toContain('the embedded PostgreSQL ended unexpectedly');
});

it('a server creates the schema of an empty database only by MIGRATE=create, and no demo key', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'external') });
  onTestFinished(() => postgres.stop());
  const env = { DATABASE_URL: postgres.url, NODE_ENV: 'production' };
  for (const MIGRATE of ['', 'pending', 'off']) {
    const { code, stderr } = await run('main.ts', { ...env, PORT: '0', MIGRATE }).finished;
    expect([code, stderr]).toEqual([1, expect.stringContaining('its schema "orders" has no tables of Orders')]);
  }
  const server = await startServer({ ...env, MIGRATE: 'create' });
  expect((await fetch(`${server.url}/v1/orders`)).status).toBe(401);
  await expect(stat(join(server.dataDir, 'demo-api-key'))).rejects.toThrow('ENOENT');
  const { code, stdout } = await server.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain('curl');
  const misspelt = { ...env, PORT: '0', DATABASE_SCHEMA: 'order' };
  expect((await run('main.ts', misspelt).finished).stderr).toContain('its schema "order" has no tables');
  await startServer({ ...env, MIGRATE: 'off' });
});
