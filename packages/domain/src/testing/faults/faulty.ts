import { systemTimer, type Timer } from '../../events/timer.ts';
import { assertOptions } from '../../shared/validation.ts';
import { type CallFault, callWith, type Fault } from './fault.ts';
import { type FaultyPorts, interceptPorts, methodsOf, type PortMethod } from './port-calls.ts';

/**
 * The faults of calls, by the method. One fault is that of every call. A list has the fault of the first call, of the
 * second one, and so on; `null` and the end of the list stand for none.
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

/** What {@link faulty} adds to ports. */
export interface Faults {
  /**
   * Returns the methods of the script with fewer calls than faults. A test whose outcome is the same without its faults
   * expects that it is empty, because nothing else shows that they happened.
   */
  readonly unreached: () => readonly string[];
}

/**
 * Returns the same ports with faults: `faulty(inMemoryStore(), { 'orders.commit': [null, 'done_then_unavailable'] })` is a
 * store whose second commit is stored and then unavailable. Takes a store, or an object with any of its ports
 * and `sender`. Other members, such as `events`, are as before.
 *
 * A port without I/O has no faults, such as a clock. Nor has a port of another package, such as the keys of an API:
 * replace its method, as in `{ find: () => errAsync({ type: 'unavailable', cause }) }`.
 *
 * @param faults a script, or a plan such as that of {@link seededFaults}
 * @throws {TypeError} the ports lack a method of the script
 */
export function faulty<P extends { readonly [Port in keyof FaultyPorts]?: object }>(
  ports: P,
  faults: FaultScript | FaultPlan,
  { timer = systemTimer }: FaultyOptions = {},
): P & Faults {
  const counts = new Map<string, number>();
  const script = typeof faults === 'function' ? {} : faults;
  assertOptions(script, methodsOf(ports));
  const plan = typeof faults === 'function' ? faults : planOf(faults);
  const intercepted = interceptPorts(ports, async (call) => {
    const nth = (counts.get(call.method) ?? 0) + 1;
    counts.set(call.method, nth);
    return await callWith(plan(call.method, nth), call, timer);
  });
  const isUnreached = ([method, scripted]: [string, unknown]) =>
    (counts.get(method) ?? 0) < (Array.isArray(scripted) ? scripted.length : 1);
  return {
    ...intercepted,
    unreached: () =>
      Object.entries(script)
        .filter(isUnreached)
        .map(([method]) => method),
  };
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
