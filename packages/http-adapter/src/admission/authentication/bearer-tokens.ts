import { isActor, isOwner } from '@orders/domain';
import type { JWTPayload } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { type Authenticator, badCredentials } from './authenticator.ts';
import type { TokenFault } from './json-web-token.ts';
import { invalidToken, tokenVerifier } from './token-verifier.ts';
import type { Principal } from '../../principal.ts';

/** Options of {@link bearerTokens}. */
export interface BearerTokenOptions {
  /** URL of the key set of the issuer (RFC 7517), without a password. Fetched when the first token arrives. */
  readonly jwksUrl: string;
  /** Required `iss` of every token. Must match exactly. */
  readonly issuer: string;
  /**
   * Required `aud` of every token, or one of its values. Must match exactly. A token without `aud` must instead have a scope
   * that begins with it and a slash, as Amazon Cognito names those of a resource server.
   */
  readonly audience: string;
  /** The claim that has the owner. Default: `sub`. */
  readonly ownerClaim?: string | undefined;
  /** The claim that has the scopes, as text or as a list. Default: `scope`, or `scp` if that has none. */
  readonly scopeClaim?: string | undefined;
  /** Returns the URL of the protected resource metadata (RFC 9728) for `WWW-Authenticate`. Default: not included. */
  readonly resourceMetadataUrl?: (() => string) | undefined;
  /** Clock for the validity of tokens. Default: the system clock. */
  readonly now?: (() => Date) | undefined;
  /** Called for each failed fetch of the key set. Default: no-op. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** Security schemes of {@link bearerTokens} for the OpenAPI document. */
export const BEARER_SCHEMES = {
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `JWT of the issuer listed in \`/.well-known/oauth-protected-resource\`, validated according to RFC8725.
\`scope\`, \`scp\` or the claim that the server chose holds its scopes. Send exactly one credential header`,
  },
} as const;

/** The challenge for every invalid token (RFC 6750 section 3.1). The problem has the exact reason. */
const INVALID_TOKEN = {
  error: 'invalid_token',
  error_description: 'The token is malformed, expired or not for this API',
};

/**
 * Authenticates by JWTs of one issuer in `Authorization` (RFC 6750 section 2.1, RFC 7519).
 *
 * @throws {TypeError} when `jwksUrl` is not a URL, or has a user name or password
 */
export function bearerTokens(options: BearerTokenOptions): Authenticator {
  const { jwksUrl, issuer, audience, ownerClaim = 'sub', scopeClaim, resourceMetadataUrl } = options;
  const scopeClaims = scopeClaim === undefined ? ['scope', 'scp'] : [scopeClaim];
  const isForApi = (claims: JWTPayload) => isFor(audience, claims, scopeClaims);
  const { now = () => new Date(), warn = () => undefined } = options;
  const verify = tokenVerifier({ jwksUrl, issuer, isForApi, now, warn });
  const metadata = () => (resourceMetadataUrl ? { resource_metadata: resourceMetadataUrl() } : {});
  return {
    header: 'authorization',
    credentials: 'a token in Authorization',
    securitySchemes: BEARER_SCHEMES,
    authorizationServers: [issuer],
    challenge: (code) => challenge({ ...metadata(), ...(code === 'invalid_token' && INVALID_TOKEN) }),
    scopeChallenge: (scope) => challenge({ error: 'insufficient_scope', scope, ...metadata() }),
    authenticate: async (request, lookups) => {
      const { authorization = '' } = request.headers;
      if (authorization === '') return null;
      const token = bearerToken(authorization);
      if (token === null) return err(badCredentials('unauthenticated', 'The scheme of Authorization must be Bearer.'));
      return (await verify(token, request, lookups)).andThen((known) =>
        principalOf(known, ownerClaim, scopesOf(known, scopeClaims, audience)).mapErr(invalidToken),
      );
    },
  };
}

/** Returns the text after the scheme `Bearer`, which may be empty; `null` for another scheme. */
export function bearerToken(authorization: string): string | null {
  const scheme = /^bearer(?: +|$)/i.exec(authorization);
  return scheme && authorization.slice(scheme[0].length);
}

function principalOf(claims: JWTPayload, ownerClaim: string, scopes: readonly string[]): Result<Principal, TokenFault> {
  const owner = claims[ownerClaim];
  if (!isOwner(owner)) return err(`The claim ${ownerClaim} of the token must be 1 to 255 printable ASCII characters.`);
  return ok({ owner, scopes, actor: actorOf(claims) });
}

/**
 * Returns the actor of the client in `client_id` (RFC 9068 section 2.2), or in `azp` of OpenID Connect if that is absent.
 * Returns `undefined` for a claim that may be an email address, or is too long. Never `sub`, which may be a person.
 */
function actorOf({ client_id, azp }: JWTPayload): string | undefined {
  const client = client_id ?? azp;
  if (typeof client !== 'string' || client === '' || client.includes('@')) return undefined;
  const actor = `client:${client}`;
  return isActor(actor) ? actor : undefined;
}

/** Whether `aud` includes an audience (RFC 7519 section 4.1.3), or in a token without `aud` the name of a scope does. */
function isFor(audience: string, claims: JWTPayload, scopeClaims: readonly string[]): boolean {
  const { aud } = claims;
  if (aud !== undefined) return [aud].flat().includes(audience);
  return namesIn(claims, scopeClaims).some((name) => name.startsWith(`${audience}/`));
}

/** Returns the scopes of a token, without the audience and the slash that an issuer may put before each. */
function scopesOf(claims: JWTPayload, scopeClaims: readonly string[], audience: string): readonly string[] {
  const prefix = `${audience}/`;
  return namesIn(claims, scopeClaims).map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
}

/** Returns the names in the first of some claims that has any, as text (RFC 8693 section 4.2) or, of other issuers, as a list. */
function namesIn(claims: JWTPayload, of: readonly string[]): readonly string[] {
  for (const claim of of) {
    const value = claims[claim];
    const list: readonly unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
    const names = list.flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []));
    if (names.length > 0) return names;
  }
  return [];
}

/** Formats a challenge with its parameters as quoted strings (RFC 9110 sections 5.6.4 and 11.6.1). */
function challenge(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ realm: 'orders', ...parameters });
  return `Bearer ${pairs.map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`).join(', ')}`;
}
