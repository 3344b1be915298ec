import { isActor, isOwner } from '@orders/domain';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { after, type Awaitable, settle } from '../../value-or-promise.ts';
import type { OwnerPolicy } from '../../observer.ts';
import { occurrenceOf, PROBLEMS } from '../../problems/catalog.ts';
import { hostRejection } from '../../problems/from-host.ts';
import { insufficientScope, OwnFault, type Problem } from '../../problems/problem.ts';
import type { UnreadResponses } from '../../connection/unread-responses.ts';
import type { SettingsOfOwners } from '../owner-settings.ts';
import type { CredentialLookups } from '../rate-limits/credential-lookups.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { Reject } from '../rate-limits/rejections.ts';
import { stateOf } from '../../request-state.ts';
import {
  type Authenticate,
  type Authentication,
  challengeOf,
  type Identified,
  LOOKUP_REJECTED,
} from './authentication.ts';
import type { RejectForeignOrigin } from './foreign-origins.ts';
import type { Principal, Scope } from '../../principal.ts';

/** The statuses with which a thrown error of an authentication rejects a request. Others are failures of the server. */
const OF_CREDENTIALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** Those who use the operations `O` of a listener: how they are recognized, who pays for them, and what they may do. */
export interface Principals<P, O> {
  /** Returns the principal of a request, or the problem of one without. Errors that it throws are the caller's. */
  readonly identify: (
    request: FastifyRequest,
    lookups: CredentialLookups,
    operation: O,
  ) => Awaitable<Result<P, Problem>>;
  /** Returns the `WWW-Authenticate` of a 401 that does not set its own. */
  readonly challenge: () => string;
  /** Keeps the principal of a request for what follows, and returns who pays for it. */
  readonly enter: (request: FastifyRequest, principal: P) => string;
  /** Returns the problem of a request for an operation that the principal may not use. */
  readonly lacks: (request: FastifyRequest, principal: P, operation: O) => Problem | undefined;
}

/** What bounds the requests for an operation. */
interface Bounds {
  /** The rate limit that counts them. */
  readonly policy: OwnerPolicy;
  /** Checks the origin of a write; absent for reads. */
  readonly rejectOrigin: RejectForeignOrigin | undefined;
  readonly limits: RateLimits;
  readonly unread: UnreadResponses;
  /** Takes the place of a request, and returns the problem if its payer uses too much of the server. */
  readonly admitKey: (payer: string, response: ServerResponse) => Problem | undefined;
  readonly reject: Reject;
}

/** Admits a request of a principal that may use an operation, whose origin is allowed, and that is within the rate limits. */
export function requirePrincipal<P, O>(
  { identify, challenge, enter, lacks }: Principals<P, O>,
  operation: O,
  { policy, rejectOrigin, limits, unread, admitKey, reject }: Bounds,
): onRequestHookHandler {
  /** Returns the problem of a request without a principal. */
  const refuse = (request: FastifyRequest, reply: FastifyReply, problem: Problem): Awaitable<Problem> => {
    const { code } = problem;
    if (code !== 'unauthenticated' && code !== 'invalid_token' && problem !== LOOKUP_REJECTED) return problem;
    return after(limits.countAnonymous(request, reply), (exceeded) => exceeded ?? problem);
  };
  /** Returns the problem with which a request of `principal` is rejected, if it is. */
  const admit = (request: FastifyRequest, reply: FastifyReply, principal: P): Awaitable<Problem | undefined> => {
    const payer = enter(request, principal);
    stateOf(request).payer = payer;
    // Before the payer is counted, because a page of another site must not use up the limit.
    const foreign = rejectOrigin?.(request);
    if (foreign) return foreign;
    // Counted all the same, so that a flood of requests beyond a share ends in 429.
    const shed = admitKey(payer, reply.raw);
    return after(
      limits.countOwner(policy, reply, payer),
      (exceeded) => exceeded ?? shed ?? unread.exceeded(payer) ?? lacks(request, principal, operation),
    );
  };
  /** Returns the problem with which a request is rejected, if it is. */
  const check = (request: FastifyRequest, reply: FastifyReply): Awaitable<Problem | undefined> =>
    after(identify(request, limits.lookups, operation), (identified) =>
      identified.isOk() ? admit(request, reply, identified.value) : refuse(request, reply, identified.error),
    );
  return (request, reply, done) => {
    const proceed = (problem: Problem | undefined): void => {
      if (problem) reject(request, reply, problem);
      else done();
    };
    const failed = (cause: unknown): void => {
      const rejection = hostRejection(cause, request, reply);
      if (!rejection || !OF_CREDENTIALS.has(rejection.status))
        return done(cause instanceof OwnFault ? cause : new OwnFault(cause));
      // Always an error object, because with `undefined` Fastify would treat the request as authenticated.
      const pass = () => done(cause instanceof Error ? cause : Object.assign(new Error('rejected'), rejection));
      if (rejection.status !== 401) return pass();
      // Counts like any other attempt with invalid credentials.
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

interface WithScope {
  readonly scope: Scope;
}

/** Returns the clients of the API: the owner pays, and the scopes say what they may do. */
export function clients(
  authentication: Authentication,
  settings: SettingsOfOwners = new Map(),
): Principals<Principal, WithScope> {
  const { scopeChallenge } = authentication;
  // The document requires a challenge in every 403 if tokens are supported.
  const headers = scopeChallenge && { 'www-authenticate': challengeOf(authentication)() };
  const suspended: Problem = { ...occurrenceOf('owner_suspended'), ...(headers && { headers }) };
  return {
    identify: identifyBy(authentication),
    challenge: challengeOf(authentication),
    enter: (request, principal) => {
      stateOf(request).principal = principal;
      return principal.owner;
    },
    lacks: (_request, { owner, scopes }, { scope }) => {
      if (typeof settings.get(owner)?.suspended_at === 'string') return suspended;
      return scopes.includes(scope) ? undefined : insufficientScope(scope, authentication.scopeChallenge);
    },
  };
}

/** Normalizes the results of an authentication. Errors that it throws are not caught. */
function identifyBy(authentication: Authentication): Principals<Principal, WithScope>['identify'] {
  const { authenticate } = authentication;
  const challenge = challengeOf(authentication);
  const reject = (detail: string) =>
    err({ code: 'unauthenticated' as const, detail, headers: { 'www-authenticate': challenge() } });
  const withChallenge = (problem: Problem): Problem => {
    const complete = PROBLEMS[problem.code].status !== 401 || problem.headers?.['www-authenticate'] !== undefined;
    return complete ? problem : { ...problem, headers: { ...problem.headers, 'www-authenticate': challenge() } };
  };
  const toResult = (identified: Identified): Result<Principal, Problem> => {
    const result = isResult(identified) ? identified : ok(identified);
    if (result.isErr()) return err(withChallenge(result.error));
    const { value } = result;
    if (value === null || value === undefined) return reject('The request has no valid credentials.');
    // The domain throws for an invalid owner or actor.
    if (!isOwner(value.owner))
      return reject('The owner of the credentials must be 1 to 255 printable ASCII characters.');
    if (value.actor !== undefined && !isActor(value.actor))
      return reject('The actor of the credentials must be 1 to 255 printable ASCII characters.');
    if (!Array.isArray(value.scopes)) throw new TypeError('authenticate must return scopes as an array');
    return ok(value);
  };
  return (request, lookups) => after(promised(authenticate(request, lookups)), toResult);
}

/** Checks for a method instead of a class, because a host may have another copy of neverthrow. */
function isResult(identified: Identified): identified is Exclude<Identified, Principal | null | undefined> {
  return typeof identified === 'object' && identified !== null && 'isErr' in identified;
}

/** Converts other awaitable values, such as a ResultAsync, to a promise. */
function promised(value: ReturnType<Authenticate>): Awaitable<Identified> {
  if (value instanceof Promise || typeof value !== 'object' || value === null || !('then' in value)) return value;
  return (async () => await value)();
}
