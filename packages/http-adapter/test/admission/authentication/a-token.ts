import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A signing key of a token issuer. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Returns the public key as a JWK with its `kid` and the members of `more`. */
  readonly jwk: (more?: Json) => Json;
}

export type Json = Readonly<Record<string, unknown>>;

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** Generates a key for the algorithm `alg`. */
export function aSigningKey(alg: string, kid: string = alg, modulusLength = 2048): SigningKey {
  const namedCurve = CURVES[alg];
  const { privateKey, publicKey } = alg.startsWith('Ed')
    ? generateKeyPairSync('ed25519')
    : namedCurve === undefined
      ? generateKeyPairSync('rsa', { modulusLength })
      : generateKeyPairSync('ec', { namedCurve });
  const jwk = (more: Json = {}): Json => ({ ...publicKey.export({ format: 'jwk' }), kid, ...more });
  return { kid, alg, privateKey, publicKey, jwk };
}

/** Signs `input` (RFC 7518 section 3, RFC 8037 section 3.1). */
export function signatureOf(input: string, { privateKey }: SigningKey, alg: string): Buffer {
  if (alg.startsWith('Ed')) return sign(null, Buffer.from(input), privateKey);
  const key = alg.startsWith('PS')
    ? { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
  return sign(`sha${alg.slice(2)}`, Buffer.from(input), key);
}

/** Encodes a part of a token: text unchanged, other values as JSON. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Signs a token with the algorithm of the key, even if the header has another. */
export function tokenOf(header: unknown, claims: unknown, key: SigningKey, alg: string = key.alg): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signatureOf(input, key, alg).toString('base64url')}`;
}
