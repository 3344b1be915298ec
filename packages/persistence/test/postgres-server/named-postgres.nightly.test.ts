import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

const VITEST = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Runs one test file in a process of its own. */
function run(TEST_POSTGRES_URL: string) {
  const args = [VITEST, 'run', '--project', 'persistence', 'packages/persistence/test/api-keys/api-keys.test.ts'];
  return promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...process.env, TEST_POSTGRES_URL } });
}

describe('TEST_POSTGRES_URL', () => {
  it('selects the PostgreSQL that the tests run on', async () => {
    const { stdout } = await run(inject('postgresUrl'));
    expect(stdout).toMatch(/persistence: PostgreSQL [^,]+, at TEST_POSTGRES_URL/);
  });

  it('fails the run when no server responds there', async () => {
    await expect(run('postgresql://orders@127.0.0.1:1/orders')).rejects.toThrow('ECONNREFUSED 127.0.0.1:1');
  });
});
