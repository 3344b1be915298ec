import { systemTimer, type Timer } from '../../events/timer.ts';
import { type CallFault, callWith, type Fault } from './fault.ts';
import { type FaultyPorts, interceptPorts, type PortMethod } from './port-calls.ts';

/**
 * The faults of calls, by the method: one for every call, or a list with the fault of the first call, of the second one,
 * and so on, where `null` and the end of the list stand for none.
 */
export type FaultScript = {
  readonly [Method in PortMethod]?: Fault<Method> | readonly (Fault<Method> | null)[] | undefined;
};

/** Decides about the fault of each call. `nth` counts the calls of the method from 1. */
export type FaultPlan = (method: PortMethod, nth: number) => CallFault | null;

/** Options of {@link faulty}. */
export interface FaultyOptions {
  /** Spends the time of late outcomes. Default: that of the runtime. */
  readonly timer?: Timer | undefined;
}

/**
 * Returns the same ports with faults: `faulty(inMemoryStore(), { 'orders.commit': [null, 'done_then_unavailable'] })` is a
 * store whose second commit is stored and then unavailable. Takes a store, or an object with any of its ports,
 * `checkpoints` and `sender`. Other members, such as `events`, are as before.
 *
 * @param faults a script, or a plan such as that of {@link seededFaults}
 */
export function faulty<P extends { readonly [Port in keyof FaultyPorts]?: object }>(
  ports: P,
  faults: FaultScript | FaultPlan,
  { timer = systemTimer }: FaultyOptions = {},
): P {
  const counts = new Map<PortMethod, number>();
  const plan = typeof faults === 'function' ? faults : planOf(faults);
  return interceptPorts(ports, async (call) => {
    const nth = (counts.get(call.method) ?? 0) + 1;
    counts.set(call.method, nth);
    return await callWith(plan(call.method, nth), call, timer);
  });
}

function planOf(script: FaultScript): FaultPlan {
  return (method, nth) => {
    const faults = widen(script[method]);
    return Array.isArray(faults) ? (faults[nth - 1] ?? null) : faults;
  };
}

/** Returns the faults themselves, as those of a method that is known only when the program runs. */
function widen(faults: FaultScript[PortMethod]): CallFault | null | (CallFault | null)[];
function widen(faults: unknown): unknown {
  return faults ?? null;
}
