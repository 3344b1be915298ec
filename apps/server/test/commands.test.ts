import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, type Finished, run, startServer } from './running-server.ts';

function orders(dataDir: string, ...args: string[]): Promise<Finished> {
  return run('orders.ts', { DATA_DIR: dataDir }, args).finished;
}

describe('pnpm orders', () => {
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

  it('migrates a database that no server uses, and leaves none running', async () => {
    const dataDir = join(await aFolder(), 'data');
    const { code, stdout, stderr } = await orders(dataDir, 'migrate');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect((await orders(dataDir, 'keys', 'list')).code).toBe(0);
  });

  const mistakes: readonly (readonly [readonly string[], readonly string[]])[] = [
    [
      ['keys', 'create'],
      ['--owner: must be', '--scopes: must be'],
    ],
    [['keys', 'create', '--owner', 'a', '--scopes', 'everything'], ['--scopes: must be some of orders:read']],
    [['keys', 'create', '--owner', 'é', '--scopes', 'orders:read'], ['--owner: must be 1 to 255 printable ASCII']],
    [['keys', 'create', '--owner', 'a', '--scopes', 'orders:read', '--expires-in', '1y'], ['--expires-in: must be']],
    [['keys', 'create', '--colour', 'red'], ["Unknown option '--colour'"]],
    [['keys', 'revoke'], ['PREFIX: name one key']],
    [['distribute', 'orders'], ['distribute takes no arguments']],
    [['frobnicate'], ['use one of', 'pnpm orders migrate', 'pnpm orders keys create']],
    [[], ['use one of']],
  ];
  for (const [args, expected] of mistakes) {
    it(`explains what is wrong with "${args.join(' ')}"`, async () => {
      const dataDir = join(await aFolder(), 'data');
      const { code, stdout, stderr } = await orders(dataDir, ...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      for (const mistake of expected) expect(stderr).toContain(mistake);
      expect(stderr).not.toMatch(/^ +at /m);
    });
  }
});
