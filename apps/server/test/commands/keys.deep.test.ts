import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

it('pnpm orders keys creates, lists and revokes keys', async () => {
  const { url } = await aDatabase();
  const keys = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, ['keys', ...args]).finished;
  const grant = ['--owner', 'acme', '--scopes', 'orders:read', '--expires-in', '90d', '--name', 'web shop'];
  const key = (await keys('create', ...grant)).stdout.trim();
  const prefix = key.slice(0, 14);
  const json = await keys('list', '--json');
  expect(JSON.parse(json.stdout)).toContainEqual(
    expect.objectContaining({
      prefix,
      owner: 'acme',
      scopes: ['orders:read'],
      name: 'web shop',
      last_used_at: null,
      revoked_at: null,
    }),
  );

  expect((await keys('revoke', prefix)).code).toBe(0);
  expect((await keys('revoke', prefix)).stderr).toContain(`has the prefix ${prefix}`);
  const { stdout } = await keys('list');
  const [header = '', ...rows] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^PREFIX +NAME +OWNER +SCOPES +CREATED +LAST USED +EXPIRES +REVOKED$/);
  const row = rows.find((each) => each.startsWith(prefix)) ?? '';
  expect(row).toMatch(/^ord_\w+ {2,}web shop {2,}acme {2,}orders:read {2,}\S+Z {2}- {2,}\S+Z {2}\S+Z$/);
  expect([row.indexOf('acme'), row.indexOf('orders:read')]).toEqual([
    header.indexOf('OWNER'),
    header.indexOf('SCOPES'),
  ]);
  expect(json.stdout + stdout).not.toContain(key);
});
