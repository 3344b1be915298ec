import { readdirSync, readFileSync } from 'node:fs';

/** A process according to /proc, so only on Linux. */
export interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** The state letter of proc(5); `Z` is a zombie. */
  readonly state: string;
}

/** Returns every visible process. */
export function allProcesses(): readonly ProcessState[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (stateOf(Number(name)) ?? []) : []));
}

export function isRunning(pid: number): boolean {
  const found = stateOf(pid);
  return found !== undefined && found.state !== 'Z';
}

/** Returns the resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** Returns the number of open files and sockets of a process. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

function stateOf(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any character, so fields are counted from its end (proc(5)).
    const [state = '', parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), state };
  } catch {
    return undefined; // The process has ended.
  }
}
