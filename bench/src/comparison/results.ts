import type { CaseName } from '../cases/cases.ts';
import type { SubjectName } from './subjects.ts';

/** What one window of load showed. CPU is in microseconds per request, latency in milliseconds, memory in MiB. */
export interface Measured {
  readonly server: number;
  readonly postgres: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly memory: number;
}

/** All windows of one subject on one case with so many connections. */
export interface Series {
  readonly subject: SubjectName;
  readonly case: CaseName;
  readonly connections: number;
  readonly windows: readonly Measured[];
}

/** What a whole run showed. */
export interface Results {
  readonly series: readonly Series[];
  /** Milliseconds from the start of a process to its first right answer. */
  readonly starts: Readonly<Partial<Record<SubjectName, readonly number[]>>>;
  /** The most memory that a subject ever held. */
  readonly memory: Readonly<Partial<Record<SubjectName, number>>>;
  /** The machine, the versions and the commit, as Markdown. */
  readonly run: string;
  readonly rounds: number;
  readonly seconds: number;
}

/** What one request costs the server and PostgreSQL together. */
export function cost({ server, postgres }: Measured): number {
  return server + postgres;
}
