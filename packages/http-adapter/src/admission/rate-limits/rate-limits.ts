import type { Owner } from '@orders/domain';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, settle } from '../../awaitable.ts';
import { type BaseUrl, type Problem, sendProblem } from '../../problems/problem.ts';
import type { OrdersHttpObserver, RateLimitPolicy } from '../../observer.ts';
import { addressKey } from './address-key.ts';
import { type CredentialLookups, credentialLookups } from './credential-lookups.ts';
import { countInMemoryMeanwhile, type DependableStore } from './dependable-store.ts';
import { addressCounter, type LocalCounter, ownerCounter } from './local-counters.ts';
import type { Counted, RateLimitStore } from './rate-limit-store.ts';

/** Limits on requests a minute, each counted in a store of its own; `0` turns a limit off. */
export interface RateLimitOptions {
  /** Reads of one owner, whatever credentials they use. Default 600. */
  readonly read?: number | undefined;
  /** Writes of one owner. Default 120. */
  readonly write?: number | undefined;
  /** Requests without valid credentials of one address (IPv6: of one /64). Default 60. */
  readonly anonymous?: number | undefined;
  /**
   * Requests of one address that need no credentials: pages, unknown paths, methods that a path does not have. As many
   * OPTIONS requests are accepted beside them. Default 600.
   */
  readonly public?: number | undefined;
  /** Where requests are counted. While it fails, and by default, that is the memory of this process. */
  readonly store?: RateLimitStore | undefined;
}

/** Requests a minute unless the options say otherwise. */
export const RATE_LIMITS_DEFAULT = Object.freeze({ read: 600, write: 120, anonymous: 60, public: 600 } as const);

/** The length of every window, in milliseconds. */
const WINDOW_MS = 60_000;

/** The part of a reply that gets the headers of a limit. */
interface LimitedReply {
  header(name: string, value: string): unknown;
}

/** Counts a request; returns a problem when its limit is exceeded. */
type CountRequest<Read extends 'ip' | 'method', More extends readonly unknown[] = []> = (
  request: Pick<FastifyRequest, Read>,
  reply: LimitedReply,
  ...more: More
) => Awaitable<Problem | undefined>;

/** Counts requests, by one policy each. */
export interface RateLimits {
  /** Counts an authenticated request, by its owner. */
  readonly countOwner: CountRequest<'method', [owner: Owner]>;
  /** Counts a request without valid credentials, by its address. */
  readonly countAnonymous: CountRequest<'ip'>;
  /** Counts a request that needs no credentials, by its address. */
  readonly countPublic: CountRequest<'ip' | 'method'>;
  /** Admits lookups of credentials. */
  readonly lookups: CredentialLookups;
}

/** Counts in `options.store`, and reports the outages of that store to `log`. */
export function rateLimits(
  options: RateLimitOptions = {},
  now: () => Date,
  log: FastifyBaseLogger,
  observer: OrdersHttpObserver,
): RateLimits {
  const { read = RATE_LIMITS_DEFAULT.read, write = RATE_LIMITS_DEFAULT.write } = options;
  const { anonymous = RATE_LIMITS_DEFAULT.anonymous, public: open = RATE_LIMITS_DEFAULT.public } = options;
  const shared = options.store && countInMemoryMeanwhile(options.store, now, log, observer);
  const limited = (policy: RateLimitPolicy, quota: number, local: LocalCounter) =>
    limit({ policy, quota, local, shared, exceeded: () => observer.rateLimited(policy) });
  const byOwner = () => ownerCounter(WINDOW_MS, now);
  const byAddress = () => addressCounter(WINDOW_MS, now);
  const reads = limited('read', read, byOwner());
  const writes = limited('write', write, byOwner());
  const failures = byAddress();
  const unauthenticated = limited('anonymous', anonymous, failures);
  const pages = limited('public', open, byAddress());
  const preflights = limited('options', open, byAddress());
  return {
    countOwner: (request, reply, owner) => {
      const safe = request.method === 'GET' || request.method === 'HEAD';
      return (safe ? reads : writes)(reply, owner);
    },
    countAnonymous: ({ ip }, reply) => unauthenticated(reply, addressKey(ip)),
    countPublic: ({ ip, method }, reply) => (method === 'OPTIONS' ? preflights : pages)(reply, addressKey(ip)),
    lookups: credentialLookups((address) => anonymous === 0 || failures.current(address) < anonymous),
  };
}

/** A hook of Fastify's, also to be called by another one. */
type PublicHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Counts requests that need no credentials, and rejects those over the limit of their address. */
export function limitPublic({ countPublic }: RateLimits, baseUrl: BaseUrl): PublicHook {
  return (request, reply, done) => {
    const proceed = (exceeded: Problem | undefined): void => {
      if (exceeded) void sendProblem(reply, exceeded, baseUrl);
      else done();
    };
    // Not the cause itself: if that is `undefined`, Fastify would go on.
    const fail = (cause: unknown): void => done(new Error('the request could not be counted', { cause }));
    settle(() => countPublic(request, reply), proceed, fail);
  };
}

/** One policy, and where its requests are counted. */
interface PolicyStores {
  readonly policy: string;
  /** Requests a window; 0 for any number. */
  readonly quota: number;
  readonly local: LocalCounter;
  /** Where several servers count together. Default: each for itself. */
  readonly shared: DependableStore | undefined;
  readonly exceeded: () => void;
}

/** Counts a request of `who` and writes what is left into the reply (draft-ietf-httpapi-ratelimit-headers-10). */
function limit({ policy, quota, local, shared, exceeded }: PolicyStores) {
  const header = `"${policy}";q=${quota};w=${WINDOW_MS / 1000}`;

  const check = (reply: LimitedReply, { count, resetMs }: Counted): Problem | undefined => {
    const seconds = Math.max(1, Math.ceil(resetMs / 1000));
    const remaining = Math.max(0, quota - count);
    reply.header('ratelimit-policy', header);
    reply.header('ratelimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (count <= quota) return undefined;
    exceeded();
    return {
      code: 'rate_limited',
      detail: `The limit is ${quota} requests per minute. Retry in ${seconds} s.`,
      headers: { 'retry-after': `${seconds}` },
    };
  };

  const count = (who: string): Awaitable<Counted> => {
    // A client whose requests are used up costs the shared store nothing until its window ends.
    if (!shared || local.current(who) >= quota) return local.count(who);
    return shared.count(`${policy}:${who}`, WINDOW_MS, {
      meanwhile: () => local.count(who),
      counted: (counted) => {
        if (counted.count >= quota) local.record(who, counted);
      },
    });
  };

  return (reply: LimitedReply, who: string): Awaitable<Problem | undefined> => {
    if (quota === 0) return undefined;
    const counted = count(who);
    return counted instanceof Promise ? counted.then((later) => check(reply, later)) : check(reply, counted);
  };
}
