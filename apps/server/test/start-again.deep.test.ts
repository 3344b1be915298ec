import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listedIds, placeOrder, startServer } from './running-server.ts';

describe('a restarted server', () => {
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
