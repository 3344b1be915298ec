import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import type { Awaitable } from '../awaitable.ts';
import type { Problem } from '../conventions/problem-details.ts';
import type { Principal, Scope } from './principal.ts';

/**
 * Finds out who asks, once a route is known and before anything else of the request is looked at. Who is not let in is
 * answered with the problem; `unauthenticated` and `invalid_token` are counted against the address. When it throws or
 * rejects, the answer is `internal_error`.
 */
export type Authenticate = (request: FastifyRequest) => Awaitable<Result<Principal, Problem>>;

/** A way of authentication as OpenAPI describes it (OpenAPI 3.1 section 4.8.27). */
export type SecurityScheme = Readonly<Record<string, unknown>> & { readonly type: string };

/** How the API finds out who asks: {@link authenticateBy}, or a way of your own. */
export interface Authentication {
  readonly authenticate: Authenticate;
  /** What the OpenAPI document says of it, by name. Any one of them will do. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** `WWW-Authenticate` for credentials that lack a scope (RFC 6750 section 3.1). Default none. */
  readonly scopeChallenge?: ((scope: Scope) => string) | undefined;
  /** The URLs of those who issue tokens; published as metadata of the API (RFC 9728). Default nobody. */
  readonly authorizationServers?: readonly string[] | undefined;
}
