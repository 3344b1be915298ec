import { describe, expect, it } from 'vitest';
import { type Finished, run, startServer } from '../programs/running-server.ts';

function orders(dataDir: string, ...args: string[]): Promise<Finished> {
  return run('cli.ts', { DATA_DIR: dataDir }, args).finished;
}

describe('pnpm orders keys', () => {
  it('creates, lists and revokes keys while the server runs', async () => {
    const server = await startServer();
    const scopes = ['--scopes', 'orders:read'];
    const created = await orders(server.dataDir, 'keys', 'create', '--owner', 'shop', ...scopes, '--expires-in', '90d');
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^ord_[0-9a-f]{10}_[\w-]{43}\n$/);
    const key = created.stdout.trim();
    const list = () => fetch(`${server.url}/v1/orders`, { headers: { 'x-api-key': key } });
    expect((await list()).status).toBe(200);

    const prefix = key.slice(0, 14);
    const json = await orders(server.dataDir, 'keys', 'list', '--json');
    const listed: unknown = JSON.parse(json.stdout);
    const grant = { prefix, owner: 'shop', scopes: ['orders:read'], revoked_at: null };
    expect(listed).toContainEqual(expect.objectContaining(grant));

    expect((await orders(server.dataDir, 'keys', 'revoke', prefix)).code).toBe(0);
    expect((await orders(server.dataDir, 'keys', 'revoke', prefix)).stderr).toContain(`has the prefix ${prefix}`);

    const { stdout } = await orders(server.dataDir, 'keys', 'list');
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^PREFIX +OWNER +SCOPES +CREATED +EXPIRES +REVOKED$/);
    const row = rows.find((each) => each.startsWith(prefix)) ?? '';
    expect(row).toMatch(/^ord_\w+ {2,}shop {2,}orders:read {2,}(\S+Z {2}){2}\S+Z$/);
    for (const [title, cell] of [
      ['OWNER', 'shop'],
      ['SCOPES', 'orders:read'],
    ] as const) {
      expect(row.indexOf(cell)).toBe(header?.indexOf(title));
    }
    expect(json.stdout + stdout).not.toContain(key);
  });
});
