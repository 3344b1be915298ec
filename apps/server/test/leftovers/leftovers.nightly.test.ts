import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endingWithParent, markedProcesses } from '@orders/child-processes';
import { expect, it } from 'vitest';

const VITEST = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const CONFIG = join(import.meta.dirname, 'vitest.config.ts');

it('a run of tests whose worker is killed leaves no program behind', async () => {
  const mark = randomUUID();
  // Programs that the tests start have the mark in their environment.
  const env = { ...process.env, LEFTOVER: mark, NO_COLOR: '1' };
  const vitest = endingWithParent(process.execPath, [VITEST, 'run', '--config', CONFIG]);
  const run = promisify(execFile)(...vitest, { cwd: join(import.meta.dirname, '../../../..'), env });
  await expect(run).rejects.toMatchObject({ stdout: expect.stringMatching(/Errors +1 error/) as unknown });
  await expect.poll(() => markedProcesses(mark)).toEqual([]);
}, 300_000);
