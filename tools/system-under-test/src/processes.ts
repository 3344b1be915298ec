import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** The kernel counts the CPU time of ended children in hundredths of a second on every platform that has /proc. */
const TICK_US = 10_000;
const NANOSECONDS = 1000;

/** A process according to /proc, so only on Linux. */
interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of its ended children, in microseconds. */
  readonly ended: number;
}

/**
 * Returns the CPU time of a process and its children in microseconds, ended ones included. The time of running processes
 * has a resolution of one nanosecond, so that short periods can be measured.
 */
export function cpuTimeOfTree(root: number): number {
  for (let tree = treeOf(root); ;) {
    const running = tree.reduce((sum, { pid }) => sum + cpuTimeOfThreads(pid), 0);
    const after = treeOf(root);
    // The time of a child that ended meanwhile is in neither sum.
    if (isDeepStrictEqual(after, tree)) return running + (tree.find(({ pid }) => pid === root)?.ended ?? 0);
    tree = after;
  }
}

/** Returns a process and all processes below it. */
function treeOf(root: number): readonly ProcessState[] {
  const all = allProcesses();
  const below = (pid: number): readonly ProcessState[] =>
    all.filter(({ parent }) => parent === pid).flatMap((process) => [process, ...below(process.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...below(root)];
}

/** Returns the CPU time of the running threads of one process in microseconds, or of one of them by its id. */
export function cpuTimeOfThreads(pid: number, only?: string): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .filter((thread) => only === undefined || thread === only)
      .map(
        (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / NANOSECONDS,
      )
      .reduce((sum, time) => sum + time, 0);
  } catch {
    return 0; // It ended meanwhile.
  }
}

/** Returns the process ids of the children of a process. */
export function childrenOf(pid: number): readonly number[] {
  return allProcesses().flatMap((process) => (process.parent === pid ? [process.pid] : []));
}

export function isRunning(pid: number): boolean {
  return stateOf(pid) !== undefined;
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Returns the resident memory of a process in MiB; 0 after its end. */
export function residentMiB(pid: number): number {
  if (!isRunning(pid)) return 0;
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Returns the number of open files and sockets of a process. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function allProcesses(): readonly ProcessState[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (stateOf(Number(name)) ?? []) : []));
}

function stateOf(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any character, so the fields are counted from its end (proc(5)).
    const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent = 0] = fields.map(Number);
    const [endedUser = 0, endedSystem = 0] = fields.slice(12, 14).map(Number);
    // A zombie has ended.
    return state === 'Z' ? undefined : { pid, parent, ended: (endedUser + endedSystem) * TICK_US };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
