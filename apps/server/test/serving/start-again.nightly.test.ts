import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { aFolder, listedIds, placeOrder, startServer } from '../programs/running-server.ts';

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

it('a server on an empty database creates the schema, without a demo key', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'external') });
  onTestFinished(() => postgres.stop());
  const server = await startServer({ DATABASE_URL: postgres.url, NODE_ENV: 'production' });
  expect((await fetch(`${server.url}/v1/orders`)).status).toBe(401);
  await expect(stat(join(server.dataDir, 'demo-api-key'))).rejects.toThrow('ENOENT');
  const { code, stdout } = await server.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain('curl');
});
