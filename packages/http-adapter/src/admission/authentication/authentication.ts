import type { FastifyRequest } from 'fastify';
import type { Result, ResultAsync } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';
import type { CredentialLookups } from '../rate-limits/credential-lookups.ts';
import type { Principal, Scope } from '../../principal.ts';

/**
 * What an {@link Authenticate} may return: a principal, plain or as an `ok` of neverthrow; `null` or `undefined` for
 * nobody, which is 401 `unauthenticated`; or a problem as an `err`.
 */
export type Identified = Principal | null | undefined | Result<Principal | null | undefined, Problem>;

/**
 * Identifies the client, once a route is known and before anything else of the request is read. The result may come at
 * once or later.
 *
 * `unauthenticated` and `invalid_token` are counted against the address; so is a principal whose owner is not 1 to 255
 * printable ASCII characters, which is `unauthenticated`. A thrown error with a `statusCode` or `status` of 401, 403 or
 * 429 rejects the request with that status, as a hook of the host application would. Anything else that is thrown is
 * `internal_error` and lets no one in. Credentials are looked up by `lookups`, so that no client can have a store queried
 * without a bound.
 */
export type Authenticate = (
  request: FastifyRequest,
  lookups: CredentialLookups,
) => Identified | PromiseLike<Identified> | ResultAsync<Principal | null | undefined, Problem>;

/** The problem of a request whose credentials were not looked up, because its address has sent too many bad ones. */
export const LOOKUP_REJECTED: Problem = {
  code: 'rate_limited',
  detail: 'This address has sent too many invalid credentials, so these were not checked. Retry in 1 s.',
  headers: { 'retry-after': '1' },
};

/** A way of authentication as OpenAPI describes it (OpenAPI 3.1 section 4.8.27). */
export type SecurityScheme = Readonly<Record<string, unknown>> & { readonly type: string };

/** How the API finds out who asks: {@link authenticateBy}, or a way of your own. */
export interface Authentication {
  readonly authenticate: Authenticate;
  /** What the OpenAPI document says of it, by name. Any one of them will do. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /**
   * `WWW-Authenticate` of every rejection that brings none of its own: RFC 9110 section 15.5.2 requires it of a 401.
   * Default: `Orders realm="orders"`.
   */
  readonly challenge?: (() => string) | undefined;
  /** `WWW-Authenticate` for credentials that lack a scope (RFC 6750 section 3.1). Default none. */
  readonly scopeChallenge?: ((scope: Scope) => string) | undefined;
  /**
   * Whether a browser adds the credentials of this request by itself, as it does with a client certificate or a cookie.
   * Writes with such credentials are rejected when a page of a foreign origin sends them: 403 `origin_not_allowed`.
   * Default: whether the request has a `Cookie`, or an `Authorization` that browsers keep (Basic, Digest, Negotiate,
   * NTLM), and neither `X-API-Key` nor another `Authorization`.
   */
  readonly isAmbient?: ((request: FastifyRequest) => boolean) | undefined;
  /** URLs of the token issuers, published in the metadata of the API (RFC 9728). Default: none. */
  readonly authorizationServers?: readonly string[] | undefined;
}

/** `WWW-Authenticate` of every 401 that has none of its own: RFC 9110 section 15.5.2 requires it. */
export function challengeOf({ challenge }: Pick<Authentication, 'challenge'>): () => string {
  return challenge ?? (() => 'Orders realm="orders"');
}
