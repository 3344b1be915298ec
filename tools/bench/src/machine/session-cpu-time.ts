import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Client } from 'pg';
import { cpuTimeOfTree } from './cpu-time.ts';

/** Returns the CPU time of the sessions of PostgreSQL that a process has opened by TCP, in microseconds. */
export async function cpuTimeOfSessions(client: Client, pid: number): Promise<number> {
  const { rows } = await client.query<{ readonly pid: number }>(
    'select pid from pg_stat_activity where client_port = any($1::int[])',
    [tcpPortsOf(pid)],
  );
  return rows.reduce((sum, session) => sum + cpuTimeOfTree(session.pid), 0);
}

/** Returns the local ports of the TCP sockets of a process. Reads /proc, so it works on Linux only. */
function tcpPortsOf(pid: number): readonly number[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) => {
    const [, ...lines] = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n');
    // The number of the line, the local address and port in hexadecimal digits, …, and the inode as the tenth (proc(5)).
    return lines
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => inodes.has(fields[9] ?? ''))
      .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
  });
}

/** Returns the inode of a socket; an empty array for another file. */
function socketOf(path: string): readonly string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return []; // It was closed meanwhile.
  }
}
