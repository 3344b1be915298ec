import { isOwner } from '@orders/domain';
import type { JWTPayload } from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { type Authenticator, type BadCredentials, badCredentials } from './authenticator.ts';
import { readClaims, readHeader, type Refusal } from './json-web-token.ts';
import { keySet } from './key-set.ts';
import type { Principal } from '../../principal.ts';

/** Whose tokens are accepted, and where. */
export interface BearerTokenOptions {
  /** The URL, without a password, where the issuer publishes its keys (RFC 7517). Fetched when a token first comes. */
  readonly jwksUrl: string;
  /** The `iss` of every token, exactly. */
  readonly issuer: string;
  /** The `aud` of every token, or one of them, exactly. */
  readonly audience: string;
  /** The claim that says whose resources they are. Default `sub`. */
  readonly ownerClaim?: string | undefined;
  /** Where the metadata of this API is (RFC 9728), for clients without a token. Default nowhere. */
  readonly resourceMetadataUrl?: (() => string) | undefined;
  /** Default: the system's clock. */
  readonly now?: (() => Date) | undefined;
  /** Called for each failed fetch of the keys of the issuer. Default: no-op. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** Bearer tokens as the OpenAPI document has them. */
export const BEARER_SCHEMES = {
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `JWT of the issuer listed in \`/.well-known/oauth-protected-resource\`, validated according to RFC8725.
\`scope\` or \`scp\` holds its scopes. Each operation lists the scope that it requires. Send exactly one credential header`,
  },
} as const;

/** What clients are told of every bad token (RFC 6750 section 3.1); the problem says more. */
const INVALID_TOKEN = {
  error: 'invalid_token',
  error_description: 'The token is malformed, expired or not for this API',
};

/**
 * Authenticates by JWTs of one issuer in `Authorization` (RFC 6750 section 2.1, RFC 7519).
 *
 * @throws {TypeError} when `jwksUrl` is no such URL
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
    authenticate: async ({ headers: { authorization = '' } }) => {
      if (authorization === '') return null;
      const token = bearerToken(authorization);
      if (token === null) return err(badCredentials('unauthenticated', 'The scheme of Authorization must be Bearer.'));
      const header = readHeader(token);
      if (header.isErr()) return err(invalidToken(header.error));
      const found = await keys.find(header.value);
      if (found.isErr()) return err(found.error);
      const claims = await readClaims(token, found.value, { issuer, audience, now });
      return claims.andThen((known) => principalOf(known, ownerClaim)).mapErr(invalidToken);
    },
  };
}

/** `fetch` takes no URL with a password, and says so with the whole of it. */
function keyUrl(jwksUrl: string): URL {
  const url = new URL(jwksUrl);
  if (url.username !== '' || url.password !== '') throw new TypeError('the URL of the keys must not hold a password');
  return url;
}

/** What follows the scheme `Bearer`, empty when nothing does; `null` when the scheme is another. */
function bearerToken(authorization: string): string | null {
  const scheme = /^bearer(?: +|$)/i.exec(authorization);
  return scheme && authorization.slice(scheme[0].length);
}

function invalidToken(refusal: Refusal): BadCredentials {
  return badCredentials('invalid_token', refusal);
}

function principalOf(claims: JWTPayload, ownerClaim: string): Result<Principal, Refusal> {
  const owner = claims[ownerClaim];
  if (!isOwner(owner)) return err(`The claim ${ownerClaim} of the token must be 1 to 255 printable ASCII characters.`);
  return ok({ owner, scopes: scopesOf(claims) });
}

/**
 * Returns the scopes of `scope` (text, RFC 8693 section 4.2), or of `scp` where `scope` names none: some issuers use
 * `scp` instead, also as a list, and leave `scope` empty.
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

/** A challenge with its parameters as quoted strings (RFC 9110 sections 5.6.4 and 11.6.1). */
function challenge(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ realm: 'orders', ...parameters });
  return `Bearer ${pairs.map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`).join(', ')}`;
}
