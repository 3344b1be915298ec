import type { Unavailable } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { JWTPayload } from 'jose';
import { err, type Result } from 'neverthrow';
import type { CredentialLookups, LookupRejected } from '../rate-limits/credential-lookups.ts';
import { type BadCredentials, badCredentials } from './authenticator.ts';
import { type Expected, readClaims, readHeader, type TokenFault } from './json-web-token.ts';
import { keySet } from './key-set.ts';

/** Which tokens are valid, by which keys. */
export interface VerifierOptions extends Expected {
  readonly jwksUrl: string;
  /** Called for each failed fetch of the key set. */
  readonly warn: (message: string, error: unknown) => void;
}

/** Returns the claims of a token, once it is verified. */
export type VerifyToken = (
  token: string,
  request: Pick<FastifyRequest, 'ip'>,
  lookups: CredentialLookups,
) => Promise<Result<JWTPayload, BadCredentials | Unavailable | LookupRejected>>;

/**
 * Returns what verifies the tokens of one issuer.
 *
 * @throws {TypeError} when `jwksUrl` is not a URL, or has a user name or password
 */
export function tokenVerifier({ jwksUrl, warn, ...expected }: VerifierOptions): VerifyToken {
  const keys = keySet({ url: keyUrl(jwksUrl), now: expected.now, warn });
  return async (token, request, lookups) => {
    const header = readHeader(token);
    if (header.isErr()) return err(invalidToken(header.error));
    const found = await keys.find(header.value, request, lookups);
    if (found.isErr()) return err(found.error);
    return (await readClaims(token, found.value, expected)).mapErr(invalidToken);
  };
}

/** Returns the rejection of a token. */
export function invalidToken(fault: TokenFault): BadCredentials {
  return badCredentials('invalid_token', fault);
}

/** Rejects a URL with a password here, because the error of `fetch` would reveal the password. */
function keyUrl(jwksUrl: string): URL {
  const url = new URL(jwksUrl);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('jwksUrl must not contain a user name or password');
  return url;
}
