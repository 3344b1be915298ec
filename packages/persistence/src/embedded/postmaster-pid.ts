import { join } from 'node:path';
import { errorCode } from '../shared/error-code.ts';
import { readIfThere } from './data-dir.ts';

/** What PostgreSQL writes into `postmaster.pid` of its data directory while it runs. */
export interface PostmasterPid {
  readonly pid: number;
  /** When it started, in seconds since 1970. */
  readonly startedAt: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Reads `postmaster.pid`; `undefined` when there is none or it is not yet complete. */
export async function readPostmasterPid(dataDir: string): Promise<PostmasterPid | undefined> {
  const lines = (await readIfThere(join(dataDir, 'postmaster.pid')))?.split('\n') ?? [];
  const [pid, startedAt, port] = [Number(lines[0]), Number(lines[2]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, startedAt, port, ready: lines[7]?.trim() === 'ready' } : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return errorCode(cause) === 'EPERM';
  }
}
