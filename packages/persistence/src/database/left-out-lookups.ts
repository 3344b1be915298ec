import type { FoundLookups } from '@orders/domain';

/** Reports what was left out of the lookups of an order, which was stored without it. */
export type ReportLeftOut = (id: string, found: FoundLookups) => void;

/** Returns a function that warns once of each reason why lookups are left out. They are as many as a definition has lookups. */
export function warnOnce(warn: (message: string) => void): ReportLeftOut {
  const known = new Set<string>();
  return (id, { faults }) => {
    for (const { message } of faults) {
      if (known.has(message)) continue;
      known.add(message);
      warn(`the order ${id} is not found by all of its custom data, which ${message}`);
    }
  };
}
