import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';

/** A process that is not mistaken for a later one with the same id. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** When it started, in ticks of the kernel since the machine did. */
  readonly startedAt: number;
  /** Its command line. */
  readonly command: string;
}

/** Returns the command lines of the processes that have `mark` in their environment or in themselves. */
export async function markedProcesses(mark: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').filter((line) => line.includes(mark) && !line.includes('ps axeww'));
}

/** Returns the processes below the process `pid`. Reads /proc, so on Linux alone. */
export function descendantsOf(pid: number): readonly RunningProcess[] {
  const all = allProcesses();
  const below = (parent: number): readonly RunningProcess[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid);
}

/** Returns those of the processes that have not ended. */
export function stillRunning(processes: readonly RunningProcess[]): readonly RunningProcess[] {
  const all = allProcesses();
  return processes.filter((known) =>
    all.some(({ pid, startedAt }) => pid === known.pid && startedAt === known.startedAt),
  );
}

/** Every process that can be seen, but for those that ended and whose parent did not take notice of it yet. */
function allProcesses(): readonly RunningProcess[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []));
}

function processOf(pid: number): RunningProcess | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted from behind it (proc(5)).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(fields[1]), startedAt: Number(fields[19]), command };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
