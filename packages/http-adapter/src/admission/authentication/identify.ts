import { isOwner } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { type Awaitable, goOn } from '../../awaitable.ts';
import { ERROR_CATALOG } from '../../problems/catalog.ts';
import type { Problem } from '../../problems/problem.ts';
import type { CredentialLookups } from '../rate-limits/credential-lookups.ts';
import type { Authenticate, Authentication, Identified } from './authentication.ts';
import { challengeOf } from './challenge.ts';
import type { Principal } from '../../principal.ts';

/** Returns the principal of a request, with a valid owner, or the problem with which it is rejected. */
export type Identify = (request: FastifyRequest, lookups: CredentialLookups) => Awaitable<Result<Principal, Problem>>;

/** Reduces all that an authentication may return to an {@link Identify}. What it throws stays thrown. */
export function identifyBy(authentication: Authentication): Identify {
  const { authenticate } = authentication;
  const challenge = challengeOf(authentication);
  const reject = (detail: string) =>
    err({ code: 'unauthenticated' as const, detail, headers: { 'www-authenticate': challenge() } });
  const withChallenge = (problem: Problem): Problem => {
    const complete = ERROR_CATALOG[problem.code].status !== 401 || problem.headers?.['www-authenticate'] !== undefined;
    return complete ? problem : { ...problem, headers: { ...problem.headers, 'www-authenticate': challenge() } };
  };
  const settle = (identified: Identified): Result<Principal, Problem> => {
    const result = isResult(identified) ? identified : ok(identified);
    if (result.isErr()) return err(withChallenge(result.error));
    const { value } = result;
    if (value === null || value === undefined) return reject('The request has no valid credentials.');
    // The domain would throw for it.
    if (!isOwner(value.owner))
      return reject('The owner of the credentials must be 1 to 255 printable ASCII characters.');
    if (!Array.isArray(value.scopes)) throw new TypeError('authenticate must return scopes as a list');
    return ok(value);
  };
  return (request, lookups) => goOn(promised(authenticate(request, lookups)), settle);
}

/** By its methods: a host may have another copy of neverthrow. */
function isResult(identified: Identified): identified is Exclude<Identified, Principal | null | undefined> {
  return typeof identified === 'object' && identified !== null && 'isErr' in identified;
}

/** A promise in place of anything else that can be awaited, such as a ResultAsync. */
function promised(value: ReturnType<Authenticate>): Awaitable<Identified> {
  if (value instanceof Promise || typeof value !== 'object' || value === null || !('then' in value)) return value;
  return (async () => await value)();
}
