import type { FastifyRequest } from 'fastify';
import type { Result, ResultAsync } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';
import type { CredentialLookups } from '../rate-limits/credential-lookups.ts';
import type { Principal, Scope } from '../../principal.ts';

/**
 * The result of an {@link Authenticate}: a principal, plain or as an `ok` of neverthrow, or a problem as an `err`. For an
 * unauthenticated client it is `null` or `undefined`, and the client gets 401 `unauthenticated`.
 */
export type Identified = Principal | null | undefined | Result<Principal | null | undefined, Problem>;

/**
 * Identifies the client of a request, synchronously or asynchronously. Called after routing, before any other part of the
 * request is read.
 *
 * - `unauthenticated` and `invalid_token` count against the rate limit of the address.
 * - A principal whose owner or actor is not 1 to 255 printable ASCII characters counts as `unauthenticated`.
 * - A thrown error with a `statusCode` or `status` of 401, 403 or 429 rejects the request with that status, like an error
 *   of a hook of the host application.
 * - Any other thrown error becomes `internal_error`, and the request is not authenticated.
 *
 * Look up credentials through `lookups`, which limits the queries that one client can cause.
 */
export type Authenticate = (
  request: FastifyRequest,
  lookups: CredentialLookups,
) => Identified | PromiseLike<Identified> | ResultAsync<Principal | null | undefined, Problem>;

/** The problem of a request whose credentials were not looked up, because its address has sent too many invalid ones. */
export const LOOKUP_REJECTED: Problem = {
  code: 'rate_limited',
  detail: 'This address has sent too many invalid credentials or requests, so these were not checked. Retry in 1 s.',
  headers: { 'retry-after': '1' },
};

/** A security scheme object (OpenAPI 3.1 section 4.8.27). */
export type SecurityScheme = Readonly<Record<string, unknown>> & { readonly type: string };

/** Authenticates requests: {@link authenticateBy}, or an implementation of your own. */
export interface Authentication {
  readonly authenticate: Authenticate;
  /** Security schemes for the OpenAPI document, by name. A request needs any one of them. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /**
   * Returns the `WWW-Authenticate` of a 401 that does not set its own (RFC 9110 section 15.5.2).
   * Default: `Orders realm="orders"`.
   */
  readonly challenge?: (() => string) | undefined;
  /** Returns the `WWW-Authenticate` of a 403 for a missing scope (RFC 6750 section 3.1). Default: none. */
  readonly scopeChallenge?: ((scope: Scope) => string) | undefined;
  /**
   * Returns whether a browser adds the credentials of this request automatically, such as a client certificate or a
   * cookie. Writes with such credentials from a page of a foreign origin get 403 `origin_not_allowed`.
   *
   * Default: true for a request without `X-API-Key` that has an `Authorization` of a scheme that browsers store (Basic,
   * Digest, Negotiate, NTLM), or a `Cookie` and no `Authorization`.
   */
  readonly isAmbient?: ((request: FastifyRequest) => boolean) | undefined;
  /** URLs of the token issuers, published in the metadata of the API (RFC 9728). Default: none. */
  readonly authorizationServers?: readonly string[] | undefined;
}

/** Returns the function for the `WWW-Authenticate` of a 401 that does not set its own. */
export function challengeOf({ challenge }: Pick<Authentication, 'challenge'>): () => string {
  return challenge ?? (() => 'Orders realm="orders"');
}
