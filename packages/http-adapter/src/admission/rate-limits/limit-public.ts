import type { FastifyReply, FastifyRequest } from 'fastify';
import { settle } from '../../awaitable.ts';
import { type BaseUrl, type Problem, sendProblem } from '../../problems/problem.ts';
import type { RateLimits } from './rate-limits.ts';

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
