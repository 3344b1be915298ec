import type { CaseName } from '../cases/cases.ts';
import type { SubjectName } from './subjects.ts';

/** The figures of one window of load. CPU is in microseconds per request, latency in milliseconds, memory in MiB. */
export interface Measured {
  readonly server: number;
  readonly postgres: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memory: number;
}

/** All windows of one subject, one case and one number of connections. */
export interface Series {
  readonly subject: SubjectName;
  readonly case: CaseName;
  readonly connections: number;
  readonly windows: readonly Measured[];
}

/** The figures of a run. */
export interface Results {
  readonly series: readonly Series[];
  /** Milliseconds from the start of a process to its first correct response. */
  readonly starts: Readonly<Partial<Record<SubjectName, readonly number[]>>>;
  /** The peak memory of each subject in MiB. */
  readonly memory: Readonly<Partial<Record<SubjectName, number>>>;
  /** The machine, the versions and the commit, as Markdown. */
  readonly run: string;
  readonly rounds: number;
  readonly seconds: number;
}

/** Returns the CPU time of server and PostgreSQL together for one request. */
export function cost({ server, postgres }: Measured): number {
  return server + postgres;
}
