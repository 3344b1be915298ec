import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const ARGS = ['keys', 'create', '--owner', 'acme', '--scopes', 'orders:read'];

it('pnpm orders keys create revokes a key that it cannot print, and exits with 1', async () => {
  const { url, execute } = await aDatabase();
  const reason = 'orders: standard output: the key could not be printed and is revoked';
  const closed = run('cli.ts', { DATABASE_URL: url }, ARGS);
  closed.process.stdout?.destroy();
  expect(await closed.finished).toMatchObject({ code: 1, stderr: `${reason} (write EPIPE)\n` });

  const cli = join(import.meta.dirname, '../../src/cli.ts');
  const intoFullDisk = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, '--conditions=source', cli, ...ARGS];
  const full = promisify(execFile)('sh', intoFullDisk, { env: { DATABASE_URL: url } });
  const stderr: unknown = expect.stringContaining(`${reason} (ENOSPC`);
  await expect(full).rejects.toMatchObject({ code: 1, stderr });

  const keys = `select revoked_at is not null as is_revoked from orders.api_keys where owner_id = 'acme'`;
  expect(await execute(keys)).toEqual([{ is_revoked: true }, { is_revoked: true }]);
});
