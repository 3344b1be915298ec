import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWhenRunning, removeFolder, stillRunning } from '@orders/child-processes';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../../..');
const MAIN = join(REPOSITORY, 'tools/bench/src/main.ts');

describe('a benchmark that is killed', () => {
  it('leaves no process behind', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orders-bench-test-'));
    onTestFinished(() => removeFolder(folder));
    const programs = ['load/load-worker.ts', 'server/src/main.ts'];
    const left = await killWhenRunning([MAIN, 'against', REPOSITORY, '--quick'], folder, (commands) =>
      programs.every((program) => commands.some((each) => each.includes(program))),
    );
    await vi.waitFor(() => expect(stillRunning(left)).toEqual([]), { interval: 100 });
  });
});
