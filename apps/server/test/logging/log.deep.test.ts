import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { endingWithParent } from '@orders/child-processes';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

describe('the log', () => {
  it('writes the lines of several turns of the event loop at once, while the process goes on', async () => {
    expect(await firstBatch('stay')).toEqual([1, 2, 3, 4, 5]);
  });

  it('writes a warning at once, with the lines before it', async () => {
    expect(await firstBatch('block')).toEqual([1, 2, 3, 4, 5]);
  });

  it('writes the remaining lines when the process exits', async () => {
    // A batch that is being written when the process exits may come after the lines that the exit writes.
    const lines = linesOf(await text(startLogging('exit').stdout));
    expect(lines.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });
});

/** Other work on the machine may stop a program for longer than a batch waits, and so divide its lines. */
const STARTS_MAX = 10;

/** Returns the lines that a program writes first: all five of them in at least one of several starts. */
async function firstBatch(then: 'stay' | 'block'): Promise<readonly number[]> {
  for (let starts = 1; ; starts += 1) {
    const { stdout } = startLogging(then);
    const chunks: unknown[] = await Promise.race([once(stdout.setEncoding('utf8'), 'data'), once(stdout, 'end')]);
    const lines = linesOf(z.string().parse(chunks[0]));
    if (lines.length === 5 || starts === STARTS_MAX) return lines;
  }
}

function startLogging(then: 'stay' | 'block' | 'exit'): ChildProcessByStdio<Writable, Readable, null> {
  const program = join(import.meta.dirname, 'logging-program.ts');
  const child = spawn(...endingWithParent(process.execPath, ['--conditions=source', program, then]), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const Line = z.object({ line: z.number() });

function linesOf(output: string): readonly number[] {
  return output
    .trimEnd()
    .split('\n')
    .map((text) => Line.parse(JSON.parse(text)).line);
}
