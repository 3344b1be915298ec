/** How long a charge counts: for this time at least, and twice as long at most, in milliseconds. */
const PERIOD_MS = 5000;
/** Maximum number of keys of a period. Further keys share one, so that many keys of one client are no way out. */
const KEYS_MAX = 20_000;
const FURTHER = '';

/** The time that the event loop spent for each owner, and for each address without one, in the last seconds. */
export interface LoopTime {
  /** Runs `work`, and charges its synchronous time to `key`. */
  readonly measure: <T>(key: string, work: () => T) => T;
  /** Returns the time charged to `key`, in milliseconds. */
  readonly of: (key: string) => number;
  /** Returns the most that was charged to any key. */
  readonly highest: () => number;
}

/** Creates the account. `now` is a monotonic clock in milliseconds. */
export function loopTime(now: () => number = () => performance.now()): LoopTime {
  let periods: readonly [current: Period, previous: Period] = [newPeriod(now()), newPeriod(0)];
  const current = (at: number): Period => {
    const age = at - periods[0].began;
    if (age >= PERIOD_MS) periods = [newPeriod(at), age < 2 * PERIOD_MS ? periods[0] : newPeriod(0)];
    return periods[0];
  };
  const sum = (key: string): number => {
    const [{ charged }, previous] = periods;
    return (charged.get(key) ?? 0) + (previous.charged.get(key) ?? 0);
  };
  const charge = (key: string, began: number): void => {
    const at = now();
    const period = current(at);
    const { charged } = period;
    const place = charged.has(key) || charged.size < KEYS_MAX ? key : FURTHER;
    charged.set(place, (charged.get(place) ?? 0) + at - began);
    period.highest = Math.max(period.highest, sum(place));
  };
  return {
    measure: (key, work) => {
      const began = now();
      try {
        return work();
      } finally {
        charge(key, began);
      }
    },
    of: (key) => {
      const { charged } = current(now());
      return charged.size >= KEYS_MAX && !charged.has(key) ? sum(key) + sum(FURTHER) : sum(key);
    },
    highest: () => Math.max(current(now()).highest, periods[1].highest),
  };
}

interface Period {
  readonly began: number;
  readonly charged: Map<string, number>;
  highest: number;
}

function newPeriod(began: number): Period {
  return { began, charged: new Map(), highest: 0 };
}
