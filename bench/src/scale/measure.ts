import type { CaseName } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import type { Load } from '../load/load.ts';
import type { LoadOrder } from '../load/load-protocol.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { ASKERS_KEY, type ScaleDatabase } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';

/** What is measured as there is more. */
export const GROWING = ['get', 'list', 'create', 'cancel'] as const satisfies readonly CaseName[];

/** One server on one database. */
export interface Site {
  readonly database: ScaleDatabase;
  readonly subject: Subject;
}

/** Loads a server and tells what a request cost. */
export type Measure = (
  subject: Subject,
  order: Partial<LoadOrder> & Pick<LoadOrder, 'case'>,
  seconds?: number,
) => Promise<Cost>;

export interface Cost {
  readonly cost: number;
  readonly p50: number;
}

export function measurer(load: Load, postmaster: number, plan: ScalePlan): Measure {
  return async ({ pid, port }, order, seconds = plan.seconds) => {
    const asked = { port, apiKeys: [ASKERS_KEY], targets: [], connections: CONNECTIONS, seconds, ...order };
    const before = cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster);
    const { requests, p50 } = await load.run(asked);
    return { cost: (cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster) - before) / requests, p50 };
  };
}
