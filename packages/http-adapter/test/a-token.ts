import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key of an issuer, private and, as its key set has it, public. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key, by default with nothing but its `kid`. */
  readonly jwk: (more?: Json) => Json;
}

export type Json = Readonly<Record<string, unknown>>;

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** A new key that signs by `alg`. */
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

/** Signs as RFC 7518 section 3 and RFC 8037 section 3.1 say. */
export function signatureOf(input: string, { privateKey }: SigningKey, alg: string): Buffer {
  if (alg.startsWith('Ed')) return sign(null, Buffer.from(input), privateKey);
  const key = alg.startsWith('PS')
    ? { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
  return sign(`sha${alg.slice(2)}`, Buffer.from(input), key);
}

/** A part of a token: text as it is, else as JSON. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** A token that `key` signed, by the algorithm of the key whatever the header says. */
export function tokenOf(header: unknown, claims: unknown, key: SigningKey, alg: string = key.alg): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signatureOf(input, key, alg).toString('base64url')}`;
}
