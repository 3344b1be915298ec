import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Awaitable } from '../../awaitable.ts';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import type { SecurityScheme } from './authentication.ts';
import type { Principal, Scope } from '../../principal.ts';

/** Credentials that were sent and are not good. */
export interface BadCredentials {
  readonly type: 'bad_credentials';
  /** `invalid_token` for a token (RFC 6750 section 3.1), else `unauthenticated`. */
  readonly code: 'unauthenticated' | 'invalid_token';
  /** Why, for people. It tells nothing that whoever sent them does not know. */
  readonly detail: string;
}

/** One way for clients to say who they are. */
export interface Authenticator {
  /** The header that its credentials come in, as Node.js spells it; `undefined` when they come with the connection. */
  readonly header: 'authorization' | 'x-api-key' | undefined;
  /** What to send, for people: `an API key in X-API-Key`. */
  readonly credentials: string;
  /** By name, as the OpenAPI document has it. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Checks the credentials of a request, looked up by `lookups`; `null` when it has none of this kind. */
  readonly authenticate: (
    request: FastifyRequest,
    lookups: CredentialLookups,
  ) => Awaitable<Result<Principal, BadCredentials | Unavailable | LookupRejected> | null>;
  /** `WWW-Authenticate` for who is not known, by the code of the problem (RFC 9110 section 11.6.1). */
  readonly challenge: (code: BadCredentials['code']) => string;
  /** The same for who is known and lacks a scope. Default none. */
  readonly scopeChallenge?: (scope: Scope) => string;
  /** URLs of the issuers of its tokens. Default: none. */
  readonly authorizationServers?: readonly string[];
}

export function badCredentials(code: BadCredentials['code'], detail: string): BadCredentials {
  return { type: 'bad_credentials', code, detail };
}
