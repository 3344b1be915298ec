import type { Owner } from '@orders/domain';

/** What an owner used of this process in the last minute, as far as it began no more than five seconds earlier. */
export interface OwnerLoad {
  readonly requests: number;
  /** Of these, those that got 429. */
  readonly rate_limited: number;
  /** Of these, those that got 503. */
  readonly unavailable: number;
  /** The time of the event loop, in milliseconds. */
  readonly busy_ms: number;
}

/** What owners used of this process. */
export interface OwnerLoads {
  of(owner: Owner): OwnerLoad;
  /** Returns the owners that used most of the event loop, the busiest first, at most `limit`. */
  busiest(limit: number): readonly Owner[];
}

/** Receives what owners use. Addresses without an owner are no owners. */
export interface OwnerLoadRecorder extends OwnerLoads {
  responded(payer: string, status: number): void;
  charge(payer: string, ms: number): void;
}

/** The length of a period in milliseconds, and how many are kept. */
const PERIOD_MS = 5000;
const PERIODS = 12;
/** Maximum number of owners in a period. Further ones are left out until it ends. */
const OWNERS_MAX = 5000;

type Usage = { -readonly [Member in keyof OwnerLoad]: OwnerLoad[Member] };

interface Period {
  readonly number: number;
  readonly usages: Map<Owner, Usage>;
}

const NONE: OwnerLoad = { requests: 0, rate_limited: 0, unavailable: 0, busy_ms: 0 };

/**
 * Creates the account of what owners use of a process, for `ownerLoads` of the plugin. It is kept in memory, for a minute.
 * `now` is a monotonic clock in milliseconds.
 */
export function ownerLoads(now: () => number = () => performance.now()): OwnerLoadRecorder {
  /** The newest first. */
  let periods: readonly Period[] = [];
  const current = (): Period => {
    const number = Math.floor(now() / PERIOD_MS);
    const [newest] = periods;
    if (newest?.number === number) return newest;
    const begun = { number, usages: new Map<Owner, Usage>() };
    periods = [begun, ...periods.filter((period) => period.number > number - PERIODS)];
    return begun;
  };
  const usageOf = (payer: string): Usage | undefined => {
    // The key of an address begins with a control character.
    if (payer < ' ') return undefined;
    const { usages } = current();
    const known = usages.get(payer);
    if (known || usages.size >= OWNERS_MAX) return known;
    const usage = { ...NONE };
    usages.set(payer, usage);
    return usage;
  };
  const sum = (owner: Owner): OwnerLoad =>
    periods.reduce((total, { usages }) => added(total, usages.get(owner) ?? NONE), NONE);
  return {
    responded: (payer, status) => {
      const usage = usageOf(payer);
      if (!usage) return;
      usage.requests += 1;
      if (status === 429) usage.rate_limited += 1;
      if (status === 503) usage.unavailable += 1;
    },
    charge: (payer, ms) => {
      const usage = usageOf(payer);
      if (usage) usage.busy_ms += ms;
    },
    of: (owner) => {
      current();
      return sum(owner);
    },
    busiest: (limit) => {
      current();
      const totals = new Map<Owner, number>();
      for (const { usages } of periods)
        for (const [owner, { busy_ms }] of usages) totals.set(owner, (totals.get(owner) ?? 0) + busy_ms);
      const sorted = [...totals].toSorted(([, left], [, right]) => right - left);
      return sorted.slice(0, limit).map(([owner]) => owner);
    },
  };
}

function added(left: OwnerLoad, right: OwnerLoad): OwnerLoad {
  return {
    requests: left.requests + right.requests,
    rate_limited: left.rate_limited + right.rate_limited,
    unavailable: left.unavailable + right.unavailable,
    busy_ms: left.busy_ms + right.busy_ms,
  };
}
