import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endingWithParent, markedProcesses } from '@orders/child-processes';

const VITEST = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const ROOT = join(import.meta.dirname, '../../../..');
const CONFIG = 'apps/server/test/leftovers/vitest.config.ts';

/** Maximum time for which programs may outlive the run that started them, in milliseconds. */
const END_MS = 60_000;

/** The output of a test run, and the command lines of the programs that outlived it. */
export interface Leftovers {
  readonly output: string;
  readonly processes: readonly string[];
}

/** Runs the tests of `{name}.fixture.ts`, which abort. */
export async function leftoversOf(name: string): Promise<Leftovers> {
  const mark = randomUUID();
  const output = await runFixture(name, mark);
  for (const deadline = performance.now() + END_MS; ; await sleep(200)) {
    const processes = await markedProcesses(mark);
    if (processes.length === 0 || performance.now() > deadline) return { output, processes };
  }
}

/** Resolves with the output of vitest. Programs that the tests start have `mark` in their environment. */
async function runFixture(name: string, mark: string): Promise<string> {
  const env = { ...process.env, LEFTOVER: mark, NO_COLOR: '1' };
  const vitest = endingWithParent(process.execPath, [VITEST, 'run', '--config', CONFIG, name]);
  return await promisify(execFile)(...vitest, { cwd: ROOT, env }).then(
    ({ stdout }) => stdout,
    (cause: unknown) => (cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause)),
  );
}
