import type { ServerResponse } from 'node:http';
import type { Owner } from '@orders/domain';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { after, type Awaitable, settle } from '../../value-or-promise.ts';
import type { Problem } from '../../problems/problem.ts';
import type { OrdersHttpObserver, OwnerPolicy, RateLimitPolicy } from '../../observer.ts';
import { addressKey, keyOfAddress } from './address-key.ts';
import { credentialLookups, type Places } from './credential-lookups.ts';
import { storeWithFallback, type FallbackStore } from './fallback-store.ts';
import { addressCounter, type LocalCounter, ownerCounter } from './local-counters.ts';
import type { SettingsOfOwners } from '../owner-settings.ts';
import type { Reject } from './rejections.ts';
import { type Charge, type Counted, type RateLimitOptions, RATE_LIMITS_DEFAULT } from './rate-limit-options.ts';

/** The length of every window, in milliseconds. */
const WINDOW_MS = 60_000;

/** The part of a reply that sets headers. */
export interface LimitedReply {
  header(name: string, value: string): unknown;
}

/** The limit of a listener for operators. */
export interface OperatorRate {
  /** Requests of an operator, whatever they do. Default: those of an owner, by policy. */
  readonly operator?: number;
}

interface Limiting {
  readonly rateLimits?: (RateLimitOptions & OperatorRate) | undefined;
  /** Limits that owners have of their own. */
  readonly ownerSettings?: SettingsOfOwners | undefined;
}

export type RateLimits = ReturnType<typeof rateLimits>;

/**
 * Creates the rate limits. Its functions count a request, each by one policy, and return a problem if the limit is exceeded.
 * Outages of the shared store are logged to `log`.
 */
export function rateLimits(
  { rateLimits: options = {}, ownerSettings }: Limiting,
  now: () => Date,
  log: FastifyBaseLogger,
  observer: OrdersHttpObserver,
  places: Places,
) {
  const { anonymous = RATE_LIMITS_DEFAULT.anonymous, public: open = RATE_LIMITS_DEFAULT.public } = options;
  const shared = options.store && storeWithFallback(options.store, now, log, observer);
  const limited = (policy: RateLimitPolicy, quota: number, local: LocalCounter, ownQuota?: OwnQuota) =>
    limit({ policy, quota, ownQuota, local, shared, exceeded: () => observer.rateLimited(policy) });
  const byOwner = (policy: OwnerPolicy) => {
    const quota = options[policy] ?? RATE_LIMITS_DEFAULT[policy];
    const ownQuota = ownerSettings && ((owner: Owner) => ownerSettings.get(owner)?.rate_limits?.[policy]);
    return limited(policy, quota, ownerCounter(WINDOW_MS, now, quota), ownQuota);
  };
  const byAddress = (quota: number) => addressCounter(WINDOW_MS, now, quota);
  const { operator } = options;
  const operators = limited('operator', operator ?? 0, ownerCounter(WINDOW_MS, now, operator ?? 0));
  const owners =
    operator === undefined
      ? { read: byOwner('read'), write: byOwner('write'), batch: byOwner('batch') }
      : { read: operators, write: operators, batch: operators };
  const failures = byAddress(anonymous);
  const unauthenticated = limited('anonymous', anonymous, failures);
  const pages = limited('public', open, byAddress(open));
  const preflights = limited('options', open, byAddress(open));
  return {
    /** Counts an authenticated request, by its owner, as a unit of the policy of its operation. */
    countOwner: (policy: OwnerPolicy, reply: LimitedReply, owner: Owner) => owners[policy].count(reply, owner),
    /**
     * Counts the units of a request of which `taken` are counted already, all or none. One that exceeds the limit even alone is
     * invalid, because no retry helps.
     */
    countUnits: (
      { policy, excess }: { readonly policy: OwnerPolicy; readonly excess: (units: number, limit: number) => Problem },
      reply: LimitedReply,
      owner: Owner,
      units: number,
      taken: number,
    ): Awaitable<Problem | undefined> => {
      const { quotaOf, count } = owners[policy];
      const quota = quotaOf(owner);
      if (quota === 0 || units <= taken) return undefined;
      return units > quota ? excess(units, quota) : count(reply, owner, units - taken);
    },
    /** Counts a request without valid credentials, by its address. */
    countAnonymous: ({ ip }: Pick<FastifyRequest, 'ip'>, reply: LimitedReply) =>
      unauthenticated.count(reply, addressKey(ip)),
    /** Counts a request that needs no credentials, by its address. */
    countPublic: ({ ip, method }: Pick<FastifyRequest, 'ip' | 'method'>, reply: LimitedReply) =>
      (method === 'OPTIONS' ? preflights : pages).count(reply, addressKey(ip)),
    lookups: credentialLookups((address) => anonymous === 0 || failures.current(address) < anonymous, places),
  };
}

/** A hook of Fastify that other hooks can call, too. */
type PublicHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Counts requests that need no credentials. Rejects those over the limit of their address, and those of addresses that use
 * too much of the server.
 */
export function limitPublic(
  { countPublic }: RateLimits,
  admitKey: (key: string, response: ServerResponse) => Problem | undefined,
  reject: Reject,
): PublicHook {
  return (request, reply, done) => {
    const shed = admitKey(keyOfAddress(addressKey(request.ip)), reply.raw);
    const proceed = (exceeded: Problem | undefined): void => {
      const problem = exceeded ?? shed;
      if (problem) reject(request, reply, problem);
      else done();
    };
    // Not the cause itself, because with `undefined` Fastify would continue.
    const fail = (cause: unknown): void => done(new Error('cannot count the request for the rate limit', { cause }));
    settle(() => countPublic(request, reply), proceed, fail);
  };
}

/** Returns the quota that a key has in place of that of all, if any. */
type OwnQuota = (key: string) => number | null | undefined;

/** A policy and the counters of its requests. */
interface PolicyStores {
  readonly policy: string;
  /** Requests per window; 0 for no limit. */
  readonly quota: number;
  readonly ownQuota: OwnQuota | undefined;
  readonly local: LocalCounter;
  /** The store that several servers share; `undefined` if each server counts for itself. */
  readonly shared: FallbackStore | undefined;
  readonly exceeded: () => void;
}

/** Counts requests by key, and sets the headers of draft-ietf-httpapi-ratelimit-headers-10. */
function limit({ policy, quota: quotaOfAll, ownQuota, local, shared, exceeded }: PolicyStores) {
  const headerOf = (quota: number) => `"${policy}";q=${quota};w=${WINDOW_MS / 1000}`;
  const headerOfAll = headerOf(quotaOfAll);
  const quotaOf = (key: string): number => ownQuota?.(key) ?? quotaOfAll;

  /** Returns what is counted now, with or without a charge. */
  const held = (count: number, { cost, quota }: Charge) => (count <= quota ? count : count - cost);

  const check = (reply: LimitedReply, { count, resetMs }: Counted, charge: Charge): Problem | undefined => {
    const { quota } = charge;
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    const remaining = Math.max(0, quota - held(count, charge));
    reply.header('ratelimit-policy', quota === quotaOfAll ? headerOfAll : headerOf(quota));
    reply.header('ratelimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (count <= quota) return undefined;
    exceeded();
    return {
      code: 'rate_limited',
      detail: `The limit is ${quota} ${policy === 'batch' ? 'orders in batches' : 'requests'} per minute. Retry in ${seconds} s.`,
      headers: { 'retry-after': `${seconds}` },
    };
  };

  const count = (key: string, charge: Charge): Awaitable<Counted> => {
    const { cost, quota } = charge;
    // A client over its limit causes no calls of the shared store until its window ends.
    if (!shared || local.current(key) >= quota) return local.count(key, cost, quota);
    return shared.count(`${policy}:${key}`, WINDOW_MS, {
      charge,
      countLocally: () => local.count(key, cost, quota),
      counted: (counted) => {
        const now = held(counted.count, charge);
        if (now >= quota) local.record(key, { ...counted, count: now });
      },
    });
  };

  return {
    quotaOf,
    count: (reply: LimitedReply, key: string, cost = 1): Awaitable<Problem | undefined> => {
      const charge = { cost, quota: quotaOf(key) };
      return charge.quota === 0 ? undefined : after(count(key, charge), (counted) => check(reply, counted, charge));
    },
  };
}
