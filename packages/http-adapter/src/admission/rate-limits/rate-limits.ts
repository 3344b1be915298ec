import type { Owner } from '@orders/domain';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../awaitable.ts';
import type { Problem } from '../../problems/problem.ts';
import type { OrdersHttpObserver } from '../../observer.ts';
import { addressKey } from './address-key.ts';
import { type CredentialLookups, credentialLookups } from './credential-lookups.ts';
import { countInMemoryMeanwhile } from './dependable-store.ts';
import { limit, type LimitedReply, WINDOW_MS } from './limit.ts';
import { addressCounter, type LocalCounter, ownerCounter } from './local-counters.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

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

/** Every policy by which requests are counted. The one named `options` has the limit of `public`. */
export const RATE_LIMIT_POLICIES = Object.freeze(['read', 'write', 'anonymous', 'public', 'options'] as const);

/** A policy by which requests are counted. */
export type RateLimitPolicy = (typeof RATE_LIMIT_POLICIES)[number];

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
