import type { onRequestHookHandler } from 'fastify';
import { type Awaitable, goOn } from '../awaitable.ts';
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
  return (request, reply, done) => {
    const refused = goOn(authenticate(request), (principal): Awaitable<Problem | undefined> => {
      if (principal.isErr()) {
        const { error } = principal;
        const isStranger = error.code === 'unauthenticated' || error.code === 'invalid_token';
        return isStranger ? goOn(limits.countStranger(request, reply), (exceeded) => exceeded ?? error) : error;
      }
      const { scopes } = (request.principal = principal.value);
      const exceeded = limits.countOwner(request, reply);
      return goOn(exceeded, (problem) => problem ?? (scopes.includes(scope) ? undefined : refuse()));
    });
    const settle = (problem: Problem | undefined): void => {
      if (problem) void sendProblem(reply, problem, baseUrl);
      else done();
    };
    const fail = (cause: Error): void => done(cause);
    if (refused instanceof Promise) refused.then(settle, fail);
    else settle(refused);
  };
}
