import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { descendantsOf, endingWithParent, stillRunning } from '@orders/child-processes';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

/** Starts a process that starts the program, and waits for both. */
async function startParent(program: string, ...args: readonly string[]) {
  const fixture = join(import.meta.dirname, 'parent.fixture.ts');
  const parent = spawn(...endingWithParent(process.execPath, ['--conditions=source', fixture, program, ...args]), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const errors: unknown[] = await once(parent.stdout, 'data');
  return { parent, child: Number(errors[0]) };
}

describe('a program that ends with its parent', () => {
  it.each([
    ['SIGKILL', 'exec sleep 3600'],
    ['SIGTERM', 'exec sleep 3600'],
    ['SIGKILL', "trap '' HUP INT QUIT TERM; exec sleep 3600"],
    ['SIGKILL', 'kill -STOP $$'],
  ] as const)('ends after a %s of its parent: sh -c "%s"', async (signal, script) => {
    const { parent, child } = await startParent('sh', '-c', script);
    const below = descendantsOf(parent.pid ?? 0);
    expect(below.map(({ pid }) => pid)).toContain(child);
    parent.kill(signal);
    await vi.waitFor(() => expect(stillRunning(below)).toEqual([]));
  });

  it('has the process id of the child and its exit code, and leaves no watchdog behind', async () => {
    const child = spawn(...endingWithParent('sh', ['-c', 'echo $$; cat; sleep 0.5; exit 7']), {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const errors: unknown[] = await once(child.stdout, 'data');
    expect(Number(errors[0])).toBe(child.pid);
    const watch = descendantsOf(child.pid ?? 0);
    expect(watch.length).toBeGreaterThan(0);
    expect(await once(child, 'close')).toEqual([7, null]);
    await vi.waitFor(() => expect(stillRunning(watch)).toEqual([]));
  });

  it('ends with code 127 when it does not exist', async () => {
    const child = spawn(...endingWithParent('orders-no-such-program', []), { stdio: ['pipe', 'ignore', 'ignore'] });
    expect(await once(child, 'close')).toEqual([127, null]);
  });

  it('ends at once without a pipe', async () => {
    const child = spawn(...endingWithParent('sleep', ['3600']), { stdio: 'ignore' });
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  });
});
