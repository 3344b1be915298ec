import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type OrdersHttpObserver, UNOBSERVED } from '../observer.ts';
import { routeOf } from '../request-state.ts';
import { OVERLOADED } from '../problems/from-framework.ts';
import type { Problem } from '../problems/problem.ts';
import type { OwnerLoadRecorder } from './owner-loads.ts';
import { underWay } from './under-way.ts';

/** Options of {@link loadShedding}. */
export interface Load {
  readonly concurrencyMax?: number | undefined;
  readonly isOverloaded?: (() => boolean) | undefined;
  readonly observer?: OrdersHttpObserver | undefined;
  readonly ownerLoads?: Pick<OwnerLoadRecorder, 'charge'> | undefined;
}

/** Default of `concurrencyMax`. */
export const CONCURRENCY_MAX_DEFAULT = 1000;
/** Maximum bytes of the bodies of requests under way: 64 MiB. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** While overload lasts, the time after which further requests are rejected, in milliseconds. */
const STEP_MS = 1000;
/** The charged time below which a key did not cause the overload, in milliseconds: about a hundredth of its window. */
const NOTICEABLE_MS = 100;
/** The time without a request after which an overload counts as another one. */
const LULL_MS = 3 * STEP_MS;

/**
 * Rejects requests of an overloaded server immediately, because otherwise all requests would wait until none of them
 * finishes in time. Also those beyond the share of their owner, or address.
 *
 * Those who cause an overload are rejected first: owners and addresses that used at least half as much time of the event
 * loop as the one that used most. After a second, all follow that used a noticeable share, and after two, all.
 */
export function loadShedding(
  { concurrencyMax = CONCURRENCY_MAX_DEFAULT, isOverloaded = () => false, observer = UNOBSERVED, ownerLoads }: Load,
  now: () => number = () => performance.now(),
) {
  const time = loopTime(now, observer, ownerLoads);
  const places = underWay({ requestsMax: concurrencyMax, bytesMax: BODY_BYTES_MAX });
  let overload: { readonly since: number; seen: number } | undefined;
  /** Returns the charged time from which on keys are rejected; `undefined` while the server is not overloaded. */
  const leastRejected = (): number | undefined => {
    if (!isOverloaded()) {
      overload = undefined;
      return undefined;
    }
    const at = now();
    if (!overload || at - overload.seen > LULL_MS) overload = { since: at, seen: at };
    overload.seen = at;
    const duration = at - overload.since;
    if (duration >= 2 * STEP_MS) return 0;
    return duration >= STEP_MS ? NOTICEABLE_MS : Math.max(NOTICEABLE_MS, time.highest() / 2);
  };
  const reject = (): Problem => {
    observer.loadShed();
    return OVERLOADED;
  };
  return {
    /** Returns the problem of a request while everyone is rejected. Call this first for each request. */
    admit: (request: FastifyRequest): Problem | undefined =>
      leastRejected() === 0 && routeOf(request).isHealthCheck !== true ? reject() : undefined,
    /**
     * Takes the place of a request of an owner, or of an address without one. Returns the problem if its share is used, or if
     * the server is overloaded and the key uses much of its time.
     */
    admitKey: (key: string, response: ServerResponse): Problem | undefined => {
      const least = leastRejected();
      const isOver = least !== undefined && time.of(key) >= least;
      return isOver || !places.enter(key, response) ? reject() : undefined;
    },
    loopTime: time,
    underWay: places,
  };
}

/** How long a charge counts: for this time at least, and twice as long at most, in milliseconds. */
const PERIOD_MS = 5000;
/** Maximum number of keys of a period. Further keys share one, so that many keys of one client are no way out. */
const KEYS_MAX = 20_000;
const FURTHER = '';

/** The time of a request from which on a key is dear, in milliseconds, on average: a pause of the engine makes none dear. */
const DEAR_MS = 2;

/**
 * Creates the account of the time that the event loop spent for each owner, and for each address without one, in the last
 * seconds. `now` is a monotonic clock in milliseconds. Reports the busiest of each period.
 */
function loopTime(now: () => number, observer: OrdersHttpObserver, ownerLoads: Load['ownerLoads']) {
  let periods: readonly [current: Period, previous: Period] = [newPeriod(now()), newPeriod(0)];
  const current = (at: number): Period => {
    const age = at - periods[0].began;
    if (age >= PERIOD_MS) {
      observer.busiestOwner(periods[0].busiest);
      periods = [newPeriod(at), age < 2 * PERIOD_MS ? periods[0] : newPeriod(0)];
    }
    return periods[0];
  };
  const sum = (key: string): number => {
    const [{ charged }, previous] = periods;
    return (charged.get(key)?.ms ?? 0) + (previous.charged.get(key)?.ms ?? 0);
  };
  /** Charges the time since a synchronous part of the work began to `key`. */
  const charge = (key: string, began: number): void => {
    const at = now();
    const period = current(at);
    const { charged } = period;
    const place = charged.has(key) || charged.size < KEYS_MAX ? key : FURTHER;
    let usage = charged.get(place);
    if (!usage) charged.set(place, (usage = { ms: 0, requests: 0 }));
    usage.ms += at - began;
    ownerLoads?.charge(key, at - began);
    period.busiest = Math.max(period.busiest, usage.ms);
    period.highest = Math.max(period.highest, sum(place));
  };
  /** Returns the time charged to `key`, in milliseconds. */
  const of = (key: string): number => {
    const { charged } = current(now());
    return charged.size >= KEYS_MAX && !charged.has(key) ? sum(key) + sum(FURTHER) : sum(key);
  };
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return {
    begin: now,
    charge,
    /**
     * Resolves when a request of `key` may be processed; `undefined` for at once. The requests of a dear key run one in
     * each turn of the loop, between those of others, which would otherwise wait for all that arrived together.
     */
    turn: (key: string): Promise<void> | undefined => {
      const { charged } = periods[0];
      const usage = charged.get(key) ?? charged.get(FURTHER);
      if (!usage) return undefined;
      usage.requests += 1;
      if (usage.ms < DEAR_MS * usage.requests) return undefined;
      return new Promise((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(next);
      });
    },
    of,
    /** Returns the most that was charged to any key. */
    highest: (): number => Math.max(current(now()).highest, periods[1].highest),
  };
}

interface Period {
  readonly began: number;
  readonly charged: Map<string, { ms: number; requests: number }>;
  /** The most that was charged to any key in this period, and in this one and the one before. */
  busiest: number;
  highest: number;
}

function newPeriod(began: number): Period {
  return { began, charged: new Map(), busiest: 0, highest: 0 };
}
