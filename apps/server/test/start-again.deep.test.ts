import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listedIds, placeOrder, run, startServer } from './running-server.ts';

describe('a restarted server', () => {
  it('has the orders and the same key after a restart', async () => {
    const first = await startServer();
    const id = await placeOrder(first);
    const key = await first.demoKey();
    expect((await first.stop()).code).toBe(0);
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await second.demoKey()).toBe(key);
    expect(await listedIds(second)).toEqual([id]);
  });

  it('creates a new demo key when the file is missing', async () => {
    const first = await startServer();
    const id = await placeOrder(first);
    await first.stop();
    await writeFile(join(first.dataDir, 'demo-api-key'), 'nonsense\n');
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await listedIds(second)).toEqual([id]);
  });

  it('has every confirmed order after it was killed', async () => {
    const first = await startServer();
    const ids = [await placeOrder(first), await placeOrder(first)];
    await first.kill();
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await listedIds(second)).toEqual(ids.toReversed());
  });

  it('has every confirmed order after it and its PostgreSQL were killed', async () => {
    const first = await startServer();
    const ids = [await placeOrder(first), await placeOrder(first)];
    const postmaster = Number((await readFile(join(first.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    await first.kill();
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await listedIds(second)).toEqual(ids.toReversed());
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

describe('a second server', () => {
  it('reports why it cannot use the DATA_DIR of the first, and keeps that running', async () => {
    const first = await startServer();
    const second = run('main.ts', { PORT: '0', DATA_DIR: first.dataDir });
    const { code, stderr } = await second.finished;
    expect(code).toBe(1);
    expect(stderr).toContain(`DATA_DIR ${first.dataDir} is in use by another server`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect((await first.request('/v1/orders')).status).toBe(200);
  });
});
