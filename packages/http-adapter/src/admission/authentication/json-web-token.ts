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

/** The longest token, in characters. */
const MAX_LENGTH = 8 * 1024;
/** By how much clocks may differ. */
const CLOCK_SKEW_SECONDS = 30;
/** A token for other uses says so in `typ` (RFC 8725 section 3.11). The second is that of RFC 9068. */
const TYPES: readonly string[] = ['jwt', 'at+jwt'];

/** Why a token is refused: a fixed sentence, for whose token it is. */
export type Refusal = string;

/** What a token must say. */
export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
}

/** What names the key of a signed JWT in compact form, when nothing in its header speaks against it. */
export function readHeader(token: string): Result<KeyName, Refusal> {
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

/** The claims of a token that one of `keys` verifies, when they are as expected. */
export async function readClaims(
  token: string,
  keys: readonly CryptoKey[],
  { issuer, audience, now }: Expected,
): Promise<Result<JWTPayload, Refusal>> {
  const options = {
    // The header was judged before; the library reads it on its own.
    algorithms: [...ALGORITHMS],
    issuer,
    audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_SKEW_SECONDS,
    currentDate: now(),
  };
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, options);
      // A token that is bound to a key (RFC 7800) is not for whoever happens to bear it.
      return 'cnf' in payload ? err('The token must not be bound to a key by cnf.') : ok(payload);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return err(whyRefused(error));
    }
  }
  return err('The signature of the token matches no key of the issuer.');
}

/** What each claim that is missing or not as expected is for. */
const WHY_CLAIM_REFUSED: Readonly<Record<string, Refusal>> = {
  exp: 'The token must have a numeric claim exp.',
  nbf: 'The token is not valid yet.',
  iss: 'The issuer (iss) of the token is not trusted.',
  aud: 'The audience (aud) of the token does not include this API.',
};

/** @throws what has nothing to do with the token */
function whyRefused(error: unknown): Refusal {
  if (!(error instanceof errors.JOSEError)) throw error;
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : '';
  return WHY_CLAIM_REFUSED[claim] ?? 'The claims of the token are malformed.';
}

/** Base64url as its only encoder would write it: no padding, no white space, no stray bits (RFC 7515 section 2). */
function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function decodeHeader(token: string): ProtectedHeaderParameters | null {
  try {
    const header = decodeProtectedHeader(token);
    const [encoded = ''] = token.split('.');
    // RFC 7515 section 4: a reader that keeps the other of two members would see another token.
    return hasUniqueMembers(Buffer.from(encoded, 'base64url').toString()) ? header : null;
  } catch {
    return null;
  }
}

/** Media types go without regard to case, and may leave out what they begin with (RFC 7515 section 4.1.9). */
function isAccessTokenType(typ: unknown): boolean {
  return typeof typ === 'string' && TYPES.includes(typ.toLowerCase().replace(/^application\//, ''));
}

/** The texts of a JSON document, those before a colon as names, and where objects and lists begin and end. */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[[{\]}]/g;

/** Whether each member of a JSON object comes once: `JSON.parse` keeps the last of a name. The JSON must be sound. */
function hasUniqueMembers(json: string): boolean {
  const names: string[] = [];
  let depth = 0;
  for (const [token, text, colon] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    // Two spellings of a name are one name.
    if (text !== undefined && colon !== undefined && depth === 1) names.push(String(JSON.parse(text)));
  }
  return new Set(names).size === names.length;
}
