import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';

/** A running process. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of its ended children, in kernel ticks. */
  readonly ended: number;
}

/** Returns the command lines of the processes with `mark` in their environment or command line. */
export async function markedProcesses(mark: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').filter((line) => line.includes(mark) && !line.includes('ps axeww'));
}

/** Returns all descendants of the process `pid`. Reads /proc, so it works only on Linux. */
export function descendantsOf(pid: number): readonly RunningProcess[] {
  const all = allProcesses();
  const below = (parent: number): readonly RunningProcess[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid);
}

/** Returns every visible process except zombies. */
function allProcesses(): readonly RunningProcess[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

/** Returns a process unless it has ended. Reads /proc, so it works only on Linux. */
export function processOf(pid: number): RunningProcess | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any character, so fields are counted from its end (proc(5)).
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const [parent = 0, ended = 0, endedSystem = 0] = [0, 12, 13].map((at) => Number(fields[at]));
    return { pid, parent, ended: ended + endedSystem };
  } catch {
    return undefined; // The process has ended.
  }
}
