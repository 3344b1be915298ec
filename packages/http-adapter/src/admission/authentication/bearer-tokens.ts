import { isActor, isOwner } from '@orders/domain';
import type { JWTPayload } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { type Authenticator, type BadCredentials, badCredentials } from './authenticator.ts';
import { readClaims, readHeader, type TokenFault } from './json-web-token.ts';
import { keySet } from './key-set.ts';
import type { Principal } from '../../principal.ts';

/** Options of {@link bearerTokens}. */
export interface BearerTokenOptions {
  /** URL of the key set of the issuer (RFC 7517), without a password. Fetched when the first token arrives. */
  readonly jwksUrl: string;
  /** Required `iss` of every token. Must match exactly. */
  readonly issuer: string;
  /** Required `aud` of every token, or one of its values. Must match exactly. */
  readonly audience: string;
  /** The claim that has the owner. Default: `sub`. */
  readonly ownerClaim?: string | undefined;
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
\`scope\` or \`scp\` holds its scopes. Send exactly one credential header`,
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
  const { jwksUrl, issuer, audience, ownerClaim = 'sub', resourceMetadataUrl } = options;
  const { now = () => new Date(), warn = () => undefined } = options;
  const keys = keySet({ url: keyUrl(jwksUrl), now, warn });
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
      const header = readHeader(token);
      if (header.isErr()) return err(invalidToken(header.error));
      const found = await keys.find(header.value, request, lookups);
      if (found.isErr()) return err(found.error);
      const claims = await readClaims(token, found.value, { issuer, audience, now });
      return claims.andThen((known) => principalOf(known, ownerClaim)).mapErr(invalidToken);
    },
  };
}

/** Rejects a URL with a password here, because the error of `fetch` would reveal the password. */
function keyUrl(jwksUrl: string): URL {
  const url = new URL(jwksUrl);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('jwksUrl must not contain a user name or password');
  return url;
}

/** Returns the text after the scheme `Bearer`, which may be empty; `null` for another scheme. */
function bearerToken(authorization: string): string | null {
  const scheme = /^bearer(?: +|$)/i.exec(authorization);
  return scheme && authorization.slice(scheme[0].length);
}

function invalidToken(fault: TokenFault): BadCredentials {
  return badCredentials('invalid_token', fault);
}

function principalOf(claims: JWTPayload, ownerClaim: string): Result<Principal, TokenFault> {
  const owner = claims[ownerClaim];
  if (!isOwner(owner)) return err(`The claim ${ownerClaim} of the token must be 1 to 255 printable ASCII characters.`);
  return ok({ owner, scopes: scopesOf(claims), actor: actorOf(claims) });
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

/**
 * Returns the scopes in `scope` (RFC 8693 section 4.2), or those in `scp` if `scope` is empty or absent. Some issuers use
 * `scp` instead, as text or as a list.
 */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  if (scope !== undefined && typeof scope !== 'string') return [];
  const named = wordsOf(scope ?? '');
  if (named.length > 0) return named;
  if (typeof scp === 'string') return wordsOf(scp);
  const list: readonly unknown[] = Array.isArray(scp) ? scp : [];
  return list.filter((each) => typeof each === 'string');
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Formats a challenge with its parameters as quoted strings (RFC 9110 sections 5.6.4 and 11.6.1). */
function challenge(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ realm: 'orders', ...parameters });
  return `Bearer ${pairs.map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`).join(', ')}`;
}
