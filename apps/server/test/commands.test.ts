import { describe, expect, it } from 'vitest';
import { type Finished, run, startServer } from './running-server.ts';

function orders(dataDir: string, ...args: string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, args).finished;
}

describe('pnpm orders keys', () => {
  it('makes, lists and revokes keys while the server runs', async () => {
    const server = await startServer();
    const scopes = ['--scopes', 'orders:read'];
    const created = await orders(server.dataDir, 'keys', 'create', '--owner', 'shop', ...scopes, '--expires-in', '90d');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^ord_[0-9a-f]{10}_[\w-]{43}\n$/);
    const key = created.stdout.trim();
    const list = () => fetch(`${server.url}/v1/orders`, { headers: { 'x-api-key': key } });
    expect((await list()).status).toBe(200);

    const prefix = key.slice(0, 14);
    const listed = await orders(server.dataDir, 'keys', 'list');
    const [line = ''] = listed.stdout.split('\n').filter((row) => row.startsWith(prefix));
    expect(line.split('\t').slice(0, 3)).toEqual([prefix, 'shop', 'orders:read']);
    expect(listed.stdout).not.toContain(key);

    expect((await orders(server.dataDir, 'keys', 'revoke', prefix)).code).toBe(0);
    expect((await orders(server.dataDir, 'keys', 'revoke', prefix)).stderr).toContain(`begins with ${prefix}`);
    expect((await orders(server.dataDir, 'keys', 'list')).stdout).toMatch(new RegExp(`^${prefix}.*revoked `, 'm'));
  });
});
