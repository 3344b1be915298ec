import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

it('pnpm orders creates, lists and revokes operators, and lists what was done', async () => {
  const { url } = await aDatabase();
  const env = { DATABASE_URL: url, ADMIN_PUBLIC_URL: 'https://operators.example.com' };
  const orders = (...args: readonly string[]) => run('cli.ts', env, args).finished;
  const created = await orders('operators', 'create', 'Ada', '--role', 'support', '--reason', 'a ticket');
  expect(created.stdout).toMatch(/^https:\/\/operators\.example\.com\/#sign-in=ops_[\w-]{43}\n$/);
  const { stdout } = await orders('operators', 'list', '--json');
  const [, id = ''] = /"id": "([^"]+)"/.exec(stdout) ?? [];
  expect(JSON.parse(stdout)).toMatchObject([{ id, name: 'Ada', role: 'support', sessions: 0, revoked_at: null }]);
  expect((await orders('operators', 'link', id)).stdout).toMatch(/\/#sign-in=ops_[\w-]{43}\n$/);
  expect((await orders('operators', 'rename', id, 'Grace')).code).toBe(0);
  expect((await orders('operators', 'sessions', id)).stdout).toMatch(/^ID +CREATED +LAST USED +EXPIRES\n$/);
  expect((await orders('operators', 'end-session', id)).stderr).toContain(`has the id ${id}`);
  expect((await orders('operators', 'revoke', id)).code).toBe(0);
  expect((await orders('operators', 'link', id)).stderr).toContain(`has the id ${id}`);
  expect((await orders('operators', 'revoke', id)).stderr).toContain(`has the id ${id}`);
  const by = { actor: `command:${userInfo().username}`, subject: id, owner: null };
  expect(JSON.parse((await orders('audit', '--json')).stdout)).toMatchObject([
    { ...by, action: 'revoke_operator', reason: null },
    { ...by, action: 'rename_operator' },
    { ...by, action: 'link_operator' },
    { ...by, action: 'create_operator', reason: 'a ticket' },
    // That of the folder which every test begins with.
    { action: 'migrate' },
  ]);
  expect((await orders('audit')).stdout).toMatch(/^TIME +OWNER +ACTOR +ACTION +SUBJECT +REASON\n/);
  const suspend = () => orders('suspend', '--owner', 'shop');
  expect([(await suspend()).code, (await suspend()).stderr]).toEqual([0, expect.stringContaining('suspended already')]);
  expect((await orders('limit', '--owner', 'shop', '--read', '9000', '--batch', '0')).code).toBe(0);
  expect((await orders('owners', '--set')).stdout).toMatch(
    /^OWNER {2}FIRST EVENT {2}LAST EVENT {2}SUSPENDED +READ {2}WRITE {2}BATCH\nshop {3}- {12}- {11}\S+Z {2}9000 {6}- {6}0\n$/,
  );
  expect((await orders('limit', '--owner', 'shop', '--read', '1e3')).stderr).toContain('--read: must be');
  expect((await orders('limit', '--owner', 'shop')).code).toBe(0);
  expect((await orders('resume', '--owner', 'shop')).code).toBe(0);
  expect(JSON.parse((await orders('owners', '--set', '--json')).stdout)).toEqual([]);
  expect((await orders('operators', 'create', 'A\u202Eda')).stderr).toMatch(/--role: must be one of.*\n.*NAME: must/);
  const hidden = await orders('resume', '--owner', 'shop', '--reason', 'a\u2066b');
  expect(hidden.stderr).toContain('--reason: must be 1 to 500 characters on one line');
});

it('pnpm orders renames and revokes keys and certificates, which is recorded', async () => {
  const { url } = await aDatabase();
  const orders = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  const grant = ['--owner', 'a shop', '--scopes', 'orders:read', '--reason', 'a ticket'];
  const key = (await orders('keys', 'create', ...grant)).stdout;
  const [prefix = ''] = /^ord_[0-9a-f]+/.exec(key) ?? [];
  const identity = 'CN=a shop';
  expect((await orders('certs', 'allow', '--subject', identity, ...grant)).code).toBe(0);
  for (const [kind, id] of [
    ['keys', prefix],
    ['certs', identity],
  ] as const) {
    expect((await orders(kind, 'rename', id, 'web shop')).code).toBe(0);
    expect((await orders(kind, 'list', '--owner', 'a shop')).stdout).toContain('web shop');
    expect((await orders(kind, 'list', '--owner', 'another')).stdout).not.toContain('web shop');
    expect((await orders(kind, 'revoke', id)).code).toBe(0);
    expect((await orders(kind, 'revoke', id)).stderr).toContain(id);
  }
  const { stdout } = await orders('audit', '--owner', 'a shop', '--json');
  const actions = ['create_api_key', 'allow_client_certificate', 'rename_api_key', 'revoke_api_key'];
  actions.push('rename_client_certificate', 'revoke_client_certificate');
  expect(JSON.parse(stdout)).toMatchObject(actions.toReversed().map((action) => ({ action, owner: 'a shop' })));
});
