import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, goOn } from '../awaitable.ts';
import type { Problem } from '../conventions/problem-details.ts';
import type { OrdersHttpObserver } from '../observer.ts';
import { addressKey } from './address-key.ts';
import { countInMemoryMeanwhile } from './dependable-store.ts';
import { countInMemory } from './memory-store.ts';
import type { Counted, RateLimitStore } from './rate-limit-store.ts';

/** How many requests are answered a minute; `0` turns a limit off. */
export interface RateLimitOptions {
  /** Reads of one owner, whatever credentials they use. Default 600. */
  readonly read?: number | undefined;
  /** Writes of one owner. Default 120. */
  readonly write?: number | undefined;
  /** Requests without valid credentials of one address (IPv6: of one /64). Default 60. */
  readonly anonymous?: number | undefined;
  /** Where requests are counted. While it fails, and by default, that is the memory of this process. */
  readonly store?: RateLimitStore | undefined;
}

/** How many requests are answered a minute unless the options say otherwise. */
export const RATE_LIMITS_DEFAULT = { read: 600, write: 120, anonymous: 60 } as const;

/** What a request is counted as. */
export type RateLimitPolicy = keyof typeof RATE_LIMITS_DEFAULT;

const WINDOW_MS = 60_000;

/** Counts requests, each telling the client what is left (draft-ietf-httpapi-ratelimit-headers-10). */
export interface RateLimits {
  /** A request of an owner who is known by now. */
  countOwner(request: FastifyRequest, reply: FastifyReply): Awaitable<Problem | undefined>;
  /** A request of nobody who is known. */
  countStranger(request: FastifyRequest, reply: FastifyReply): Awaitable<Problem | undefined>;
}

/** `log` is told when the store stops answering and when it answers again. */
export function rateLimits(
  options: RateLimitOptions = {},
  now: () => Date,
  log: FastifyBaseLogger,
  observer: OrdersHttpObserver,
): RateLimits {
  const { read = RATE_LIMITS_DEFAULT.read, write = RATE_LIMITS_DEFAULT.write } = options;
  const { anonymous = RATE_LIMITS_DEFAULT.anonymous } = options;
  const here = countInMemory(now);
  const store = options.store ? countInMemoryMeanwhile(options.store, here, now, log, observer) : here;
  const limited = (policy: RateLimitPolicy, quota: number) => {
    const header = `"${policy}";q=${quota};w=${WINDOW_MS / 1000}`;
    const judge = (reply: FastifyReply, { count, resetMs }: Counted): Problem | undefined => {
      const seconds = Math.max(1, Math.ceil(resetMs / 1000));
      const remaining = Math.max(0, quota - count);
      void reply.header('ratelimit-policy', header).header('ratelimit', `"${policy}";r=${remaining};t=${seconds}`);
      if (count <= quota) return undefined;
      observer.rateLimited(policy);
      return {
        code: 'rate_limited',
        detail: `No more than ${quota} such requests are answered a minute. Try again in ${seconds} s.`,
        headers: { 'retry-after': `${seconds}` },
      };
    };
    return (reply: FastifyReply, who: string): Awaitable<Problem | undefined> =>
      quota === 0 ? undefined : goOn(store.count(`${policy}:${who}`, WINDOW_MS), (counted) => judge(reply, counted));
  };
  const reads = limited('read', read);
  const writes = limited('write', write);
  const strangers = limited('anonymous', anonymous);
  return {
    countOwner: (request, reply) => {
      const safe = request.method === 'GET' || request.method === 'HEAD';
      return (safe ? reads : writes)(reply, request.principal.owner);
    },
    countStranger: ({ ip }, reply) => strangers(reply, addressKey(ip)),
  };
}
