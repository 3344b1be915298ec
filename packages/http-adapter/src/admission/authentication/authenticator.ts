import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Awaitable } from '../../value-or-promise.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import type { SecurityScheme } from './authentication.ts';
import type { Principal, Scope } from '../../principal.ts';

/** The rejection of credentials. */
export interface BadCredentials {
  readonly type: 'bad_credentials';
  /** `invalid_token` for a token (RFC 6750 section 3.1), else `unauthenticated`. */
  readonly code: 'unauthenticated' | 'invalid_token';
  /** Human-readable reason. It must not reveal anything about stored credentials. */
  readonly detail: string;
}

/** Authenticates by one kind of credentials. */
export interface Authenticator {
  /** The header that has the credentials, in lower case; `undefined` if the connection has them. */
  readonly header: 'authorization' | 'x-api-key' | undefined;
  /** Human-readable name of the credentials, such as `an API key in X-API-Key`. */
  readonly credentials: string;
  /** Security schemes for the OpenAPI document, by name. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Checks the credentials of a request, with queries made through `lookups`. `null` if it has none of this kind. */
  readonly authenticate: (
    request: FastifyRequest,
    lookups: CredentialLookups,
  ) => Awaitable<Result<Principal, BadCredentials | Unavailable | LookupRejected> | null>;
  /** Returns the `WWW-Authenticate` of a 401, given the code of the problem (RFC 9110 section 11.6.1). */
  readonly challenge: (code: BadCredentials['code']) => string;
  /** Returns the `WWW-Authenticate` of a 403 for a missing scope. Default: none. */
  readonly scopeChallenge?: (scope: Scope) => string;
  /** URLs of the issuers of its tokens. Default: none. */
  readonly authorizationServers?: readonly string[];
}

export function badCredentials(code: BadCredentials['code'], detail: string): BadCredentials {
  return { type: 'bad_credentials', code, detail };
}
