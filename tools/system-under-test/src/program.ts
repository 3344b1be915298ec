import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { endingWithParent } from '@orders/child-processes';
import { isRunning } from './processes.ts';
import { waitFor } from './wait-for.ts';

/** A child process, which ends with this one. */
export interface Program {
  readonly pid: number;
  /** Settles with the reason of its end. */
  readonly ended: Promise<string>;
  /** Waits for `pattern` in its output; rejects when the program ends before. */
  says(pattern: RegExp, limitMs: number): Promise<void>;
  signal(name: NodeJS.Signals): void;
}

/**
 * Runs a program, whose output is appended to a file. It has a process group of its own, so that Ctrl-C only reaches this
 * process.
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  { env, logFile }: { readonly env?: Readonly<Record<string, string>>; readonly logFile: string },
): Promise<Program> {
  const log = await open(logFile, 'a');
  const { size: before } = await log.stat();
  const child = spawn(...endingWithParent(command, args), {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...env },
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  let isOver = false;
  const ended = endOf(child, command).finally(() => (isOver = true));
  await log.close();
  const pid = child.pid ?? 0;
  if (pid === 0) throw new Error(await ended);
  return {
    pid,
    ended,
    says: async (pattern, limitMs) => {
      await waitFor(`${command} to say ${pattern.source}`, limitMs, async () => {
        const running = isRunning(pid);
        if (pattern.test((await readFile(logFile)).toString('utf8', before))) return true;
        if (!running) throw new Error(`${command} ${args.join(' ')}: ${await ended}; see ${logFile}`);
        return undefined;
      });
    },
    // Its process id may be reused after its end.
    signal: (name) => {
      if (!isOver) child.kill(name);
    },
  };
}

async function endOf(child: ChildProcess, command: string): Promise<string> {
  try {
    await once(child, 'exit');
    return `ended with ${child.signalCode ?? child.exitCode}`;
  } catch (cause) {
    return `${command} cannot be run: ${String(cause)}`;
  }
}
