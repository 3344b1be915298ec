import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aFolder, startServer } from '../programs/running-server.ts';

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
});
