import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { descendantsOf, processOf, type RunningProcess } from '@orders/child-processes';

/** The kernel counts the CPU time of ended children in hundredths of a second on every platform that has /proc. */
const TICK_US = 10_000;
const NANOSECONDS = 1000;

/**
 * Returns the CPU time of a process and its children in microseconds, ended ones included. The time of running processes
 * has a resolution of one nanosecond, so that short periods can be measured.
 */
export function cpuTimeOfTree(root: number): number {
  for (let tree = treeOf(root); ;) {
    const running = tree.reduce((sum, { pid }) => sum + cpuTimeOfThreads(pid), 0);
    const after = treeOf(root);
    // The time of a child that ended meanwhile is in neither sum.
    if (isDeepStrictEqual(after, tree)) return running + (tree[0]?.ended ?? 0) * TICK_US;
    tree = after;
  }
}

/** Returns a process and all processes below it. */
function treeOf(root: number): readonly RunningProcess[] {
  const first = processOf(root);
  return first ? [first, ...descendantsOf(root)] : [];
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

export function isRunning(pid: number): boolean {
  return processOf(pid) !== undefined;
}

/** Returns the resident memory of a process in MiB; 0 after its end. */
export function residentMiB(pid: number): number {
  if (!isRunning(pid)) return 0;
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
