import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase, type TestDatabase } from '../programs/server-on-database.ts';

const ARGS = ['keys', 'create', '--owner', 'acme', '--scopes', 'orders:read'];

/** Every key must be revoked, because no one has read its secret. */
const states = (database: TestDatabase) =>
  database.execute(`select revoked_at is not null as is_revoked from orders.api_keys where owner_id = 'acme'`);

describe('pnpm orders keys create', () => {
  it('revokes the key and exits with 1 when its reader has closed the output', async () => {
    const database = await aDatabase();
    const program = run('cli.ts', { DATABASE_URL: database.url }, ARGS);
    program.process.stdout?.destroy();
    const { code, stderr } = await program.finished;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'orders cannot continue:\n  standard output: the key could not be printed and is revoked (write EPIPE)\n',
    });
    expect(await states(database)).toEqual([{ is_revoked: true }]);
  });

  it('revokes the key and exits with 1 when the disk is full', async () => {
    const database = await aDatabase();
    const cli = join(import.meta.dirname, '../../src/cli.ts');
    const args = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, '--conditions=source', cli, ...ARGS];
    const program = promisify(execFile)('sh', args, { env: { DATABASE_URL: database.url } });
    const stderr: unknown = expect.stringMatching(
      /^orders cannot continue:\n {2}standard output: the key could not be printed and is revoked \(ENOSPC.*\)\n$/,
    );
    await expect(program).rejects.toMatchObject({ code: 1, stderr });
    expect(await states(database)).toEqual([{ is_revoked: true }]);
  });
});
