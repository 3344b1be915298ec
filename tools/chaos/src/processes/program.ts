import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endingWithParent } from '@orders/child-processes';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { isRunning, signal } from './processes.ts';

/** A child process whose output goes to a file of the stage. */
export interface Program {
  readonly pid: number;
  /** Settles with the reason of its end. */
  readonly ended: Promise<string>;
  /** Returns the output of this run and of earlier ones with the same name. */
  log(): Promise<string>;
  /** Waits for `pattern` in the output; rejects when the program ends before. */
  says(pattern: RegExp, limitMs: number): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  /** Kills it as a crash does. */
  kill(): Promise<void>;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Every started process that has not ended. */
const started = new Set<number>();

/** Returns the started processes that still run. */
export function leftRunning(): readonly number[] {
  return [...started];
}

/**
 * Runs a program that is killed at the end of its scenario or of this process. It has a process group of its own, so
 * that Ctrl-C only reaches this process.
 */
export async function startProgram(stage: Stage, name: string, options: Command): Promise<Program> {
  const { command, args, env } = options;
  const path = join(stage.folder, `${name}.log`);
  const log = await open(path, 'a');
  const { size: before } = await log.stat();
  const child = spawn(...endingWithParent(command, args), {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...env },
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  const ended = endOf(child, name);
  await log.close();
  const pid = child.pid ?? 0;
  if (pid === 0) throw new Error(await ended);
  started.add(pid);
  void ended.then(() => started.delete(pid));
  // Its process id may be reused after its end.
  const send = (given: NodeJS.Signals) => {
    if (started.has(pid)) signal(pid, given);
  };
  stage.atEnd(async () => {
    send('SIGKILL');
    await ended;
  });
  return {
    pid,
    ended,
    log: () => readFile(path, 'utf8'),
    says: (pattern, limitMs) =>
      waitFor(`${name} to say ${pattern.source}`, limitMs, async () => {
        const running = isRunning(pid);
        const found = pattern.exec((await readFile(path)).toString('utf8', before));
        if (!found && !running) throw new Error(`${name}: ${await ended}; see ${path}`);
        return found ?? undefined;
      }),
    signal: send,
    kill: async () => {
      send('SIGKILL');
      await ended;
    },
  };
}

async function endOf(child: ChildProcess, name: string): Promise<string> {
  try {
    await once(child, 'exit');
    return `ended with ${child.signalCode ?? child.exitCode}`;
  } catch (cause) {
    return `${name} cannot be run: ${String(cause)}`;
  }
}
