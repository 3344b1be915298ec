import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts CPU time in hundredths of a second on every platform that has /proc. */
const TICK_US = 10_000;

/** CPU time of a process and its children, ended ones too, in microseconds; read from /proc, so on Linux alone. */
export function cpuTimeOfTree(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
  const below = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce((sum, process) => sum + process.own + below(process.pid), 0);
  const top = processes.find(({ pid }) => pid === root);
  return ((top ? top.own + top.ended : 0) + below(root)) * TICK_US;
}

function readStat(pid: number): { pid: number; parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted from behind it (proc(5)).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { pid, parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return undefined; // It ended meanwhile.
  }
}
