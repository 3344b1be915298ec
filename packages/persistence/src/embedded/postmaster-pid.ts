import { join } from 'node:path';
import { errorCode } from '../postgres/error-code.ts';
import { readIfExists } from './data-dir.ts';

/** The content of `postmaster.pid`, which PostgreSQL writes into its data directory while it runs. */
export interface PostmasterPid {
  readonly pid: number;
  /** The start time, in seconds since 1970. */
  readonly startedAt: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Parses `postmaster.pid`; `undefined` when it is missing or incomplete. */
export async function readPostmasterPid(dataDir: string): Promise<PostmasterPid | undefined> {
  const lines = (await readIfExists(join(dataDir, 'postmaster.pid')))?.split('\n') ?? [];
  const [pid, startedAt, port] = [Number(lines[0]), Number(lines[2]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, startedAt, port, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** Returns whether a process has this id, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return errorCode(cause) === 'EPERM';
  }
}
