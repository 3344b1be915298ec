import { globSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWhenRunning, removeFolder, stillRunning } from '@orders/child-processes';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

const MAIN = join(import.meta.dirname, '../src/main.ts');

/** Returns whether both servers listen, so that they stay up even without their database. */
function bothListen(folder: string): boolean {
  const logs = globSync(join(folder, '*/*/server-?.log'));
  return logs.filter((log) => readFileSync(log, 'utf8').includes('listening at')).length === 2;
}

describe('a killed chaos run', () => {
  it.each([
    ['while PostgreSQL starts', (_: string, commands: readonly string[]) => commands.some((each) => / -D /.test(each))],
    ['while its servers run', bothListen],
  ])('leaves no process behind: %s', { timeout: 120_000 }, async (_, isTime) => {
    const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-test-'));
    onTestFinished(() => removeFolder(folder));
    const args = [MAIN, '--operations', '100', 'postgres-killed'];
    const left = await killWhenRunning(args, folder, (commands) => isTime(folder, commands));
    await vi.waitFor(() => expect(stillRunning(left)).toEqual([]), { interval: 100 });
  });
});
