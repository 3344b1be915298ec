import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it } from 'vitest';
import { aFolder, AN_ORDER, run, startServer } from '../programs/running-server.ts';

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
