import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listedIds, placeOrder, startServer } from '../programs/running-server.ts';

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

  it('ends with the reason when its PostgreSQL ends', async () => {
    const server = await startServer();
    const postmaster = Number((await readFile(join(server.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    const { code, stderr } = await server.finished;
    expect(code).toBe(1);
    expect(stderr).toContain('the embedded PostgreSQL ended unexpectedly');
  });
});
