import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Awaitable, goOn, settle } from '../awaitable.ts';
import { type BaseUrl, type Problem, sendProblem } from '../conventions/problem-details.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { Authentication } from './authentication.ts';
import type { Scope } from './principal.ts';

/** Lets in who has `scope`, as long as they do not ask too often. */
export function requireScope(
  { authenticate, scopeChallenge }: Authentication,
  limits: RateLimits,
  scope: Scope,
  baseUrl: BaseUrl,
): onRequestHookHandler {
  const refuse = (): Problem => {
    const challenge = scopeChallenge?.(scope);
    return {
      code: 'insufficient_scope',
      detail: `The credentials lack the scope ${scope}.`,
      extra: { required_scope: scope },
      ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }),
    };
  };
  /** Why a request is not let in, if it is not. */
  const judge = (request: FastifyRequest, reply: FastifyReply): Awaitable<Problem | undefined> =>
    goOn(authenticate(request), (principal): Awaitable<Problem | undefined> => {
      if (principal.isErr()) {
        const { error } = principal;
        const isStranger = error.code === 'unauthenticated' || error.code === 'invalid_token';
        return isStranger ? goOn(limits.countStranger(request, reply), (exceeded) => exceeded ?? error) : error;
      }
      const { scopes } = (request.principal = principal.value);
      const exceeded = limits.countOwner(request, reply);
      return goOn(exceeded, (problem) => problem ?? (scopes.includes(scope) ? undefined : refuse()));
    });
  return (request, reply, done) => {
    const answer = (problem: Problem | undefined): void => {
      if (problem) void sendProblem(reply, problem, baseUrl);
      else done();
    };
    // Not the cause itself: if that is `undefined`, Fastify goes on as if nobody had to be asked.
    const fail = (cause: unknown): void => done(new Error('the credentials could not be judged', { cause }));
    settle(() => judge(request, reply), answer, fail);
  };
}
