import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts the CPU time of ended children in hundredths of a second on every platform that has /proc. */
const TICK_US = 10_000;
const NANOSECONDS = 1000;

/**
 * Returns the CPU time of a process and its children in microseconds, ended ones included. Reads /proc, so it works on
 * Linux only. The time of running processes has a resolution of one nanosecond, so that short periods can be measured.
 */
export function cpuTimeOfTree(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
  const below = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce((sum, process) => sum + cpuTimeOfThreads(process.pid) + below(process.pid), 0);
  const top = processes.find(({ pid }) => pid === root);
  return (top ? cpuTimeOfThreads(top.pid) + top.ended : 0) + below(root);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of its ended children, in microseconds. */
  readonly ended: number;
}

function readStat(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any character, so the fields are counted from its end (proc(5)).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [endedUser = 0, endedSystem = 0] = fields.slice(13, 15);
    return { pid, parent, ended: (endedUser + endedSystem) * TICK_US };
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** Returns the CPU time of the running threads of one process in microseconds. */
export function cpuTimeOfThreads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map(
        (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / NANOSECONDS,
      )
      .reduce((sum, time) => sum + time, 0);
  } catch {
    return 0; // It ended meanwhile.
  }
}
