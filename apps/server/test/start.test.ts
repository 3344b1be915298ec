import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it } from 'vitest';
import { aFolder, AN_ORDER, listedIds, placeOrder, run, startServer } from './running-server.ts';

describe('a server that starts without a database', () => {
  it('creates a database, prints its URL and a working curl line', async () => {
    const server = await startServer({ DATA_DIR: join(await aFolder(), 'data') });
    expect(server.output()).toContain(`Orders listens on ${server.url}\n`);
    expect(server.output()).toContain(`${server.url}/docs\n`);
    const [line = ''] = /curl .*/.exec(server.output()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`]);
    expect(JSON.parse(stdout)).toEqual({ data: [], page: { limit: 20, has_more: false, next_cursor: null } });
  });

  it('stores the database in DATA_DIR and the demo key next to it, readable by their owner alone', async () => {
    const server = await startServer();
    const { dataDir } = server;
    expect((await stat(join(dataDir, 'PG_VERSION'))).isFile()).toBe(true);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'demo-api-key'))).mode & 0o777).toBe(0o600);
    const key = await server.demoKey();
    expect(key).toMatch(/^demo_[0-9a-f]{10}_[\w-]{43}$/);
    expect(server.output()).not.toContain(key);
  });

  it('has the orders and the same key after a restart', async () => {
    const first = await startServer();
    const id = await placeOrder(first);
    const key = await first.demoKey();
    expect((await first.stop()).code).toBe(0);
    const second = await startServer({ DATA_DIR: first.dataDir });
    expect(await second.demoKey()).toBe(key);
    expect(await listedIds(second)).toEqual([id]);
  });

  it('reports why a second server cannot use the same DATA_DIR, and keeps the first running', async () => {
    const first = await startServer();
    const second = run('main.ts', { PORT: '0', DATA_DIR: first.dataDir });
    const { code, stderr } = await second.finished;
    expect(code).toBe(1);
    expect(stderr).toContain(`DATA_DIR ${first.dataDir} is in use by another server`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect((await first.request('/v1/orders')).status).toBe(200);
  });
});

describe('a server that starts on a database', () => {
  it('updates the schema and serves requests, without a demo key', async () => {
    const dataDir = join(await aFolder(), 'external');
    const postgres = await startEmbeddedPostgres({ dataDir });
    try {
      const server = await startServer({ DATABASE_URL: postgres.url, NODE_ENV: 'production' });
      const response = await fetch(`${server.url}/v1/orders`, { method: 'POST', body: AN_ORDER });
      expect(response.status).toBe(401);
      const args = ['keys', 'create', '--owner', 'shop', '--scopes', 'orders:read,orders:write'];
      const created = run('cli.ts', { DATABASE_URL: postgres.url }, args);
      const key = (await created.finished).stdout.trim();
      const placed = await fetch(`${server.url}/v1/orders`, {
        method: 'POST',
        body: AN_ORDER,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      });
      expect(placed.status).toBe(201);
      await expect(stat(join(server.dataDir, 'demo-api-key'))).rejects.toThrow('ENOENT');
      expect(server.output()).not.toContain('curl');
      expect((await server.stop()).code).toBe(0);
    } finally {
      await postgres.stop();
    }
  });
});
