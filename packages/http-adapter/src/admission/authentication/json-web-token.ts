import {
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { err, ok, type Result } from 'neverthrow';
import { ALGORITHMS, type KeyName } from './key-set.ts';

/** Maximum length of a token, in characters. */
const MAX_LENGTH = 8 * 1024;
/** Tolerated difference between clocks. */
const CLOCK_SKEW_SECONDS = 30;
/** Accepted values of `typ`, which excludes tokens for other uses (RFC 8725 section 3.11). The second is of RFC 9068. */
const TYPES: readonly string[] = ['jwt', 'at+jwt'];

/** The reason why a token is rejected, as a sentence for its sender. */
export type TokenFault = string;

/** The expected claims of a token. */
export interface Expected {
  readonly issuer: string;
  /** Whether the token is for this API, by its verified claims. */
  readonly isForApi: (claims: JWTPayload) => boolean;
  readonly now: () => Date;
}

/** Validates the header of a signed JWT in compact form, and returns the name of its key. */
export function readHeader(token: string): Result<KeyName, TokenFault> {
  if (token.length > MAX_LENGTH) return err('The token must be at most 8 KiB long.');
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every(isBase64url)) return err('The token must be a signed JWT in compact form.');
  const header = decodeHeader(token);
  if (!header) return err('The header of the token must be a JSON object without duplicate members.');
  const { typ, crit, alg, kid } = header;
  if (typ !== undefined && !isAccessTokenType(typ)) return err('The typ of the token must be JWT, at+jwt or absent.');
  if (crit !== undefined) return err('The token must not use crit: no extensions are supported.');
  if (alg === undefined || !ALGORITHMS.includes(alg))
    return err(`The alg of the token must be one of ${ALGORITHMS.join(', ')}.`);
  if (kid !== undefined && typeof kid !== 'string') return err('The kid of the token must be a string.');
  return ok({ alg, kid });
}

/** Verifies a token by one of `keys`, validates its claims, and returns them. */
export async function readClaims(
  token: string,
  keys: readonly CryptoKey[],
  { issuer, isForApi, now }: Expected,
): Promise<Result<JWTPayload, TokenFault>> {
  const options = {
    // Already checked by readHeader, but the library parses the header again.
    algorithms: [...ALGORITHMS],
    issuer,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_SKEW_SECONDS,
    currentDate: now(),
  };
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, options);
      if (!isForApi(payload)) return err('The audience (aud) of the token does not include this API.');
      // A token that is bound to a key (RFC 7800) must not be accepted as a bearer token.
      return 'cnf' in payload ? err('The token must not be bound to a key by cnf.') : ok(payload);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return err(faultOf(error));
    }
  }
  return err('The signature of the token matches no key of the issuer.');
}

/** The fault of each claim that is missing or unexpected. */
const CLAIM_FAULTS: Readonly<Record<string, TokenFault>> = {
  exp: 'The token must have a numeric claim exp.',
  nbf: 'The token is not valid yet.',
  iss: 'The issuer (iss) of the token is not trusted.',
};

/** Returns the fault of a token. @throws an error that the token has not caused */
function faultOf(error: unknown): TokenFault {
  if (!(error instanceof errors.JOSEError)) throw error;
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : '';
  return CLAIM_FAULTS[claim] ?? 'The claims of the token are malformed.';
}

/** Whether a part is canonical base64url: no padding, no white space, no stray bits (RFC 7515 section 2). */
function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function decodeHeader(token: string): ProtectedHeaderParameters | null {
  try {
    const header = decodeProtectedHeader(token);
    const [encoded = ''] = token.split('.');
    // Parsers that keep different duplicates would see different tokens (RFC 7515 section 4).
    return hasUniqueMembers(Buffer.from(encoded, 'base64url').toString()) ? header : null;
  } catch {
    return null;
  }
}

/** Media types are case-insensitive, and the prefix `application/` is optional (RFC 7515 section 4.1.9). */
function isAccessTokenType(typ: unknown): boolean {
  return typeof typ === 'string' && TYPES.includes(typ.toLowerCase().replace(/^application\//, ''));
}

/** Matches the strings of a JSON document, with a colon if they are names, and the brackets of objects and arrays. */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[[{\]}]/g;

/** Whether a JSON object has no duplicate members. `JSON.parse` keeps only the last one. The JSON must be valid. */
function hasUniqueMembers(json: string): boolean {
  const names: string[] = [];
  let depth = 0;
  for (const [token, text, colon] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    // Escapes can spell the same name in different ways.
    if (text !== undefined && colon !== undefined && depth === 1) names.push(String(JSON.parse(text)));
  }
  return new Set(names).size === names.length;
}
