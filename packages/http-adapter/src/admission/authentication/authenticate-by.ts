import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import type { Awaitable } from '../../awaitable.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { throwOwnFault } from '../../problems/own-fault.ts';
import type { Problem } from '../../problems/problem.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import { type Authentication, LOOKUP_REJECTED } from './authentication.ts';
import type { Authenticator, BadCredentials } from './authenticator.ts';
import type { Principal } from '../../principal.ts';

const [AUTHORIZATION, API_KEY] = ['authorization', 'x-api-key'] as const;

/**
 * Authenticates by any of these ways: by the one header that credentials were sent in, else by the connection. Of ways
 * with the same header each is asked, in their order, until one knows the credentials. The first of all is the one that
 * strangers are asked to take.
 */
export function authenticateBy(first: Authenticator, ...others: readonly Authenticator[]): Authentication {
  const ways = [first, ...others];
  const wanted = `Send ${ways.map(({ credentials }) => credentials).join(', or ')}.`;
  const refuse = (code: BadCredentials['code'], detail: string): Problem => ({
    code,
    detail,
    headers: { 'www-authenticate': first.challenge(code) },
  });
  const byHeader = Map.groupBy(ways, ({ header }) => header);
  const problemOf = (error: BadCredentials | Unavailable | LookupRejected): Problem => {
    if (error.type === 'lookup_rejected') return LOOKUP_REJECTED;
    return error.type === 'bad_credentials' ? refuse(error.code, error.detail) : toProblem(error);
  };
  /** Tries one way after the other, until one knows the credentials of a request. */
  const check = (
    request: FastifyRequest,
    lookups: CredentialLookups,
    [way, ...others]: readonly Authenticator[],
  ): Awaitable<Result<Principal, Problem>> => {
    if (!way) return err(refuse('unauthenticated', wanted));
    const proceed = (checked: Awaited<ReturnType<Authenticator['authenticate']>>) =>
      checked ? checked.mapErr(problemOf) : check(request, lookups, others);
    const checked = way.authenticate(request, lookups);
    return checked instanceof Promise ? checked.then(proceed) : proceed(checked);
  };
  return {
    authenticate: (request, lookups) => {
      const header = credentialHeader(request);
      if (header.isErr()) return err(header.error);
      // What a store throws is no rejection of the request, whatever status it has.
      try {
        const checked = check(request, lookups, byHeader.get(header.value) ?? []);
        return checked instanceof Promise ? checked.catch(throwOwnFault) : checked;
      } catch (cause) {
        return throwOwnFault(cause);
      }
    },
    // No browser adds a header with a key or a token by itself.
    isAmbient: (request) => credentialHeader(request).unwrapOr(AUTHORIZATION) === undefined,
    securitySchemes: Object.fromEntries(ways.flatMap(({ securitySchemes }) => Object.entries(securitySchemes))),
    challenge: () => first.challenge('unauthenticated'),
    scopeChallenge: first.scopeChallenge,
    authorizationServers: ways.flatMap(({ authorizationServers = [] }) => authorizationServers),
  };
}

/** The header that the credentials of a request are in, if any. */
function credentialHeader({ raw }: FastifyRequest): Result<Authenticator['header'], Problem> {
  const { rawHeaders } = raw;
  let found: Authenticator['header'];
  // By hand, and only names of the right length: this is on the way of every request.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length !== AUTHORIZATION.length && sent.length !== API_KEY.length) continue;
    const name = sent.toLowerCase();
    if (name !== AUTHORIZATION && name !== API_KEY) continue;
    if (found !== undefined) return err(moreThanOne(found));
    found = name;
  }
  return ok(found);
}

function moreThanOne(first: typeof AUTHORIZATION | typeof API_KEY): Problem {
  const field = first === AUTHORIZATION ? 'Authorization' : 'X-API-Key';
  const errors = [
    { field, message: 'must be the only credential header and be sent once', code: 'invalid_value' as const },
  ];
  return {
    code: 'invalid_header',
    detail: 'Send exactly one of the headers Authorization and X-API-Key, once.',
    errors,
  };
}
