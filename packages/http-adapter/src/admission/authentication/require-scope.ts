import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type Awaitable, goOn, settle } from '../../awaitable.ts';
import { hostRejection } from '../../problems/from-host.ts';
import { OwnFault } from '../../problems/own-fault.ts';
import { type BaseUrl, type Problem, sendProblem } from '../../problems/problem.ts';
import type { UnreadResponses } from '../../connection/unread-responses.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { setPrincipal } from '../../request-state.ts';
import { type Authentication, LOOKUP_REJECTED } from './authentication.ts';
import { challengeOf } from './challenge.ts';
import type { RejectForeignOrigin } from './foreign-origins.ts';
import { identifyBy } from './identify.ts';
import type { Scope } from '../../principal.ts';

/** With these an authentication may reject a request by throwing; another status is that of something it called. */
const OF_CREDENTIALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** What an operation requires of its requests. */
interface Required {
  readonly scope: Scope;
  /** Checks where a write comes from; absent for reads. */
  readonly rejectOrigin?: RejectForeignOrigin | undefined;
}

/** Admits a request whose credentials have `scope`, whose origin is allowed, and which is within the rate limits. */
export function requireScope(
  authentication: Authentication,
  limits: RateLimits,
  unread: UnreadResponses,
  { scope, rejectOrigin }: Required,
  baseUrl: BaseUrl,
): onRequestHookHandler {
  const identify = identifyBy(authentication);
  const challenge = challengeOf(authentication);
  const refuseScope = (): Problem => {
    const header = authentication.scopeChallenge?.(scope);
    return {
      code: 'insufficient_scope',
      detail: `The credentials lack the scope ${scope}.`,
      extra: { required_scope: scope },
      ...(header !== undefined && { headers: { 'www-authenticate': header } }),
    };
  };
  /** Returns the problem with which a request is rejected, if it is. */
  const check = (request: FastifyRequest, reply: FastifyReply): Awaitable<Problem | undefined> =>
    goOn(identify(request, limits.lookups), (principal): Awaitable<Problem | undefined> => {
      if (principal.isErr()) {
        const { error } = principal;
        const isAnonymous =
          error.code === 'unauthenticated' || error.code === 'invalid_token' || error === LOOKUP_REJECTED;
        return isAnonymous ? goOn(limits.countAnonymous(request, reply), (exceeded) => exceeded ?? error) : error;
      }
      const { owner, scopes } = principal.value;
      setPrincipal(request, principal.value);
      // Before the owner's rate: a page of another site must not use it up.
      const foreign = rejectOrigin?.(request);
      if (foreign) return foreign;
      const exceeded = limits.countOwner(request, reply, owner);
      const refusal = () => unread.exceeded(owner) ?? (scopes.includes(scope) ? undefined : refuseScope());
      return goOn(exceeded, (problem) => problem ?? refusal());
    });
  return (request, reply, done) => {
    const proceed = (problem: Problem | undefined): void => {
      if (problem) void sendProblem(reply, problem, baseUrl);
      else done();
    };
    const failed = (cause: unknown): void => {
      const rejection = hostRejection(cause, request, reply);
      if (!rejection || !OF_CREDENTIALS.has(rejection.status))
        return done(cause instanceof OwnFault ? cause : new OwnFault(cause));
      // An error in any case: for `undefined` Fastify would go on as if the request were authenticated.
      const pass = () => done(cause instanceof Error ? cause : Object.assign(new Error('rejected'), rejection));
      if (rejection.status !== 401) return pass();
      // A guess at credentials like any other.
      if (!reply.hasHeader('www-authenticate')) void reply.header('www-authenticate', challenge());
      settle(
        () => limits.countAnonymous(request, reply),
        (exceeded) => (exceeded ? proceed(exceeded) : pass()),
        (error) => done(new OwnFault(error)),
      );
    };
    settle(() => check(request, reply), proceed, failed);
  };
}
