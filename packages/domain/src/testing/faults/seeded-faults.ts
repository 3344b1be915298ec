import { Draws } from '../draws.ts';
import type { CallFault } from './fault.ts';
import type { FaultPlan } from './faulty.ts';
import { hasResult } from './port-calls.ts';

const FAULTS: readonly CallFault[] = ['unavailable', 'done_then_unavailable', { lateMs: 20 }];
const TRANSACTION_FAULTS: readonly CallFault[] = [...FAULTS, 'rolled_back', 'decided_twice'];

/**
 * Returns a plan of faults after which every call returns: unavailable before or after it was done, 20 ms late, and for
 * transactions rolled back or decided twice. The same seed has the same plan.
 *
 * @param rate the part of the calls that have a fault, from 0 to 1; default: 0.1
 */
export function seededFaults(seed: number, rate = 0.1): FaultPlan {
  const draws = new Draws(seed);
  return (method) => {
    if (draws.next(method) >= rate || !hasResult(method)) return null;
    const kinds = method.endsWith('.commitLocked') ? TRANSACTION_FAULTS : FAULTS;
    return kinds[draws.below(kinds.length, method)] ?? null;
  };
}
