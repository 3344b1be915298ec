import { readdirSync, readFileSync } from 'node:fs';

/** A process as /proc tells of it, so on Linux alone. */
export interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** Its letter of proc(5); `Z` is one that ended and was not yet taken notice of. */
  readonly state: string;
}

/** Every process of the machine that can be seen. */
export function allProcesses(): readonly ProcessState[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (stateOf(Number(name)) ?? []) : []));
}

export function isRunning(pid: number): boolean {
  const found = stateOf(pid);
  return found !== undefined && found.state !== 'Z';
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** How many files and sockets a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Sends a signal to a process that may be gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}

function stateOf(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted from behind it (proc(5)).
    const [state = '', parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), state };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
