import type { CaseName } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import type { Load } from '../load/load.ts';
import type { LoadJob } from '../load/load-protocol.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { MEASURED_OWNER_KEY, type ScaleDatabase } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';

/** The cases that are measured on growing databases. */
export const GROWING = ['get', 'list', 'create', 'cancel'] as const satisfies readonly CaseName[];

/** One server on one database. */
export interface Site {
  readonly database: ScaleDatabase;
  readonly subject: Subject;
}

/** Sends load to a server and returns the cost of a request. */
export type Measure = (
  subject: Subject,
  job: Partial<LoadJob> & Pick<LoadJob, 'case'>,
  seconds?: number,
) => Promise<Cost>;

export interface Cost {
  readonly cost: number;
  readonly p50: number;
}

export function measurer(load: Load, postmaster: number, plan: ScalePlan): Measure {
  return async ({ pid, port }, job, seconds = plan.seconds) => {
    const defaults = { port, apiKeys: [MEASURED_OWNER_KEY], targets: [], connections: CONNECTIONS, seconds };
    const before = cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster);
    const { requests, p50 } = await load.run({ ...defaults, ...job });
    return { cost: (cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster) - before) / requests, p50 };
  };
}
