import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { after, type Awaitable } from '../../value-or-promise.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { type Problem, throwOwnFault } from '../../problems/problem.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import { type Authentication, LOOKUP_REJECTED } from './authentication.ts';
import type { Authenticator, BadCredentials } from './authenticator.ts';
import type { Principal } from '../../principal.ts';

const [AUTHORIZATION, API_KEY] = ['authorization', 'x-api-key'] as const;

/**
 * Combines authenticators: by the header that has the credentials, or by the connection if no header has any.
 * Authenticators of the same header are tried in order until one recognizes the credentials. `first` determines the
 * `WWW-Authenticate` of a 401.
 */
export function authenticateBy(first: Authenticator, ...others: readonly Authenticator[]): Authentication {
  const authenticators = [first, ...others];
  const accepted = `Send ${authenticators.map(({ credentials }) => credentials).join(', or ')}.`;
  const reject = (code: BadCredentials['code'], detail: string): Problem => ({
    code,
    detail,
    headers: { 'www-authenticate': first.challenge(code) },
  });
  const byHeader = Map.groupBy(authenticators, ({ header }) => header);
  const problemOf = (error: BadCredentials | Unavailable | LookupRejected): Problem => {
    if (error.type === 'lookup_rejected') return LOOKUP_REJECTED;
    return error.type === 'bad_credentials' ? reject(error.code, error.detail) : toProblem(error);
  };
  /** Tries the authenticators in order, until one recognizes the credentials of a request. */
  const check = (
    request: FastifyRequest,
    lookups: CredentialLookups,
    [authenticator, ...others]: readonly Authenticator[],
  ): Awaitable<Result<Principal, Problem>> => {
    if (!authenticator) return err(reject('unauthenticated', accepted));
    return after(authenticator.authenticate(request, lookups), (checked) =>
      checked ? checked.mapErr(problemOf) : check(request, lookups, others),
    );
  };
  return {
    authenticate: (request, lookups) => {
      const header = credentialHeader(request);
      if (header.isErr()) return err(header.error);
      // An error of a store is not a rejection of the request, whatever its status.
      try {
        const checked = check(request, lookups, byHeader.get(header.value) ?? []);
        return checked instanceof Promise ? checked.catch(throwOwnFault) : checked;
      } catch (cause) {
        return throwOwnFault(cause);
      }
    },
    // Browsers never add a header with a key or a token automatically.
    isAmbient: (request) => credentialHeader(request).unwrapOr(AUTHORIZATION) === undefined,
    securitySchemes: Object.fromEntries(
      authenticators.flatMap(({ securitySchemes }) => Object.entries(securitySchemes)),
    ),
    challenge: () => first.challenge('unauthenticated'),
    scopeChallenge: first.scopeChallenge,
    authorizationServers: authenticators.flatMap(({ authorizationServers = [] }) => authorizationServers),
  };
}

/** Returns the header that has the credentials of a request, if any. */
function credentialHeader({ raw }: FastifyRequest): Result<Authenticator['header'], Problem> {
  const { rawHeaders } = raw;
  let found: Authenticator['header'];
  // Hand-written, and compares only names of the right length, because it runs for every request.
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
