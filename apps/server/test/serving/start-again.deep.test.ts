import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, listedIds, placeOrder, startServer } from '../programs/running-server.ts';

describe('a restarted server', () => {
  it('has the orders and the same key, or a new one when the file is missing', async () => {
    const first = await startServer();
    const id = await placeOrder(first);
    const key = await first.demoKey();
    expect((await first.stop()).code).toBe(0);
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await second.demoKey()).toBe(key);
    expect(await listedIds(second)).toEqual([id]);
    await second.stop();
    await writeFile(join(first.dataDir, 'demo-api-key'), 'nonsense\n');
    expect(await listedIds(await startServer({ DATA_DIR: first.dataDir }))).toEqual([id]);
  });

  it('ends with the reason when its PostgreSQL ends', async () => {
    const server = await startServer();
    const postmaster = Number((await readFile(join(server.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    const { code, stderr } = await server.finished;
    expect(code).toBe(1);
    expect(stderr).toContain('the embedded PostgreSQL ended unexpectedly');
  });
});

describe('a server on a database', () => {
  it('creates the schema, without a demo key', async () => {
    const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'external') });
    onTestFinished(() => postgres.stop());
    const server = await startServer({ DATABASE_URL: postgres.url, NODE_ENV: 'production' });
    expect((await fetch(`${server.url}/v1/orders`)).status).toBe(401);
    await expect(stat(join(server.dataDir, 'demo-api-key'))).rejects.toThrow('ENOENT');
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout).not.toContain('curl');
  });

  it('accepts the demo key that the database created, except in production', async () => {
    const demo = await startServer();
    const { dataDir } = demo;
    expect((await demo.request('/v1/orders')).status).toBe(200);
    await demo.stop();
    const postgres = await startEmbeddedPostgres({ dataDir });
    onTestFinished(() => postgres.stop());
    const elsewhere = { DATABASE_URL: postgres.url, DATA_DIR: dataDir };
    expect((await (await startServer(elsewhere)).request('/v1/orders')).status).toBe(200);
    const production = await startServer({ ...elsewhere, NODE_ENV: 'production' });
    expect((await production.request('/v1/orders')).status).toBe(401);
  });
});
