// Longer than 250 lines: one table of attacks, and the test that tries each of them.
import { createHmac } from 'node:crypto';
import type { Clock } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aSigningKey, type Json, part, signatureOf, tokenOf } from './a-token.ts';
import { aToken, anApiOf, anIssuer, bearer, claimsAt, ISSUER, secondsOf } from './an-issuer.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';

const rsa = aSigningKey('RS256', 'rsa');
const ec = aSigningKey('ES256', 'ec');
const pss = aSigningKey('PS256', 'rsa-pss');
/** A key of another issuer. */
const foreign = aSigningKey('RS256', 'rsa');

/** Resources of an attack: the clock, and a key server that must not receive requests. */
interface Means {
  readonly clock: Clock;
  readonly elsewhere: string;
}

type Attack = readonly [name: string, why: RegExp, forge: (means: Means) => string];

/** Creates a token that is valid except for `claims`; a claim with the value `undefined` is absent. */
const withClaims =
  (claims: Json) =>
  ({ clock }: Means) =>
    aToken(rsa, clock, claims);
const withHeader =
  (header: Json) =>
  ({ clock }: Means) =>
    aToken(rsa, clock, {}, header);
/** Creates such a token with text as header or claims. */
const withHeaderText =
  (text: string) =>
  ({ clock }: Means) =>
    tokenOf(text, claimsAt(clock), rsa);
const withClaimsText = (text: string) => () => tokenOf({ alg: 'RS256', kid: 'rsa' }, text, rsa);
/** Creates a valid token and alters it. */
const tampered = (tamper: (parts: readonly [string, string, string]) => string) => (means: Means) => {
  const [header = '', claims = '', signature = ''] = withHeader({})(means).split('.');
  return tamper([header, claims, signature]);
};
const foreignWith = (header: (means: Means) => Json) => (means: Means) =>
  tokenOf({ alg: 'RS256', ...header(means) }, claimsAt(means.clock), foreign);
const byHmac =
  (secret: string | Buffer, header: Json = {}) =>
  ({ clock }: Means) => {
    const input = `${part({ alg: 'HS256', kid: 'rsa', ...header })}.${part(claimsAt(clock))}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
const unsigned =
  (alg: string) =>
  ({ clock }: Means) =>
    `${part({ alg, kid: 'rsa' })}.${part(claimsAt(clock))}.`;

const ALGORITHM = /The alg of the token/;
const FORM = /compact form/;
const HEADER = /JSON object without duplicate members/;
const KEY = /signature .* matches no key of the issuer/;
const OWNER = /The claim \w+ of the token/;
const TYPE = /The typ of the token/;

const ATTACKS: readonly Attack[] = [
  // Tokens without a signature, or with one that the public key suffices for.
  ['alg none', ALGORITHM, unsigned('none')],
  ['alg none with a signature', ALGORITHM, withHeader({ alg: 'none' })],
  ['no alg', ALGORITHM, withHeader({ alg: undefined })],
  ['an alg that is not text', ALGORITHM, withHeader({ alg: ['RS256'] })],
  ['alg constructor', ALGORITHM, withHeader({ alg: 'constructor' })],
  ['an empty signature', KEY, tampered(([header, claims]) => `${header}.${claims}.`)],
  ['HMAC with the public key as PEM', ALGORITHM, byHmac(rsa.publicKey.export({ type: 'spki', format: 'pem' }))],
  ['HMAC with alg RS256', KEY, byHmac(rsa.publicKey.export({ type: 'spki', format: 'pem' }), { alg: 'RS256' })],

  // Tokens with another key.
  ['the key of another issuer', KEY, foreignWith(() => ({ kid: 'rsa' }))],
  ['the key of another issuer without a kid', KEY, foreignWith(() => ({}))],
  ['an unknown kid', KEY, withHeader({ kid: 'nobody' })],
  ['the kid of a key for another algorithm', KEY, withHeader({ kid: 'ec' })],
  ['a kid that is not text', /kid .* string/, withHeader({ kid: 1 })],
  ['an ECDSA signature under the kid of an RSA key', KEY, ({ clock }) => aToken(ec, clock, {}, { kid: 'rsa' })],
  ['an RSA signature with alg ES256', KEY, withHeader({ alg: 'ES256', kid: 'ec' })],
  ['PS256 with a key for RS256', KEY, ({ clock }) => psToken(clock)],
  ['RS512 with a key for RS256', KEY, ({ clock }) => rs512Token(clock)],
  ['a key in the token, with a kid', KEY, foreignWith(() => ({ jwk: foreign.jwk(), kid: 'rsa' }))],
  ['the address of a key set, with a kid', KEY, foreignWith(({ elsewhere }) => ({ jku: elsewhere, kid: 'new' }))],
  ['the address of a certificate', KEY, foreignWith(({ elsewhere }) => ({ x5u: elsewhere, kid: 'rsa' }))],
  ['a certificate in the token', KEY, foreignWith(() => ({ x5c: [derOf(foreign)], kid: 'rsa' }))],

  // Tokens with an invalid header.
  ['the typ of a DPoP proof', TYPE, withHeader({ typ: 'dpop+jwt' })],
  ['the typ of an id token', TYPE, withHeader({ typ: 'id_token+jwt' })],
  ['the typ JWE', TYPE, withHeader({ typ: 'JWE' })],
  ['a typ that is not text', TYPE, withHeader({ typ: null })],
  ['crit', /extensions/, withHeader({ crit: ['b64'], b64: true })],
  ['an empty crit', /extensions/, withHeader({ crit: [] })],
  ['alg twice, the valid one first', HEADER, withHeaderText('{"alg":"RS256","alg":"none","kid":"rsa"}')],
  ['alg twice, once escaped', HEADER, withHeaderText('{"\\u0061lg":"none" , "alg" : "RS256","kid":"rsa"}')],
  [
    'alg twice, after a quote within text',
    HEADER,
    withHeaderText('{"x":"\\"","alg":"none","alg":"RS256","kid":"rsa"}'),
  ],
  ['kid again after a list', HEADER, withHeaderText('{"alg":"RS256","kid":"x","x":[{"y":"}"}],"kid":"rsa"}')],
  ['a header that is a list', HEADER, withHeaderText('["RS256"]')],
  ['a header that is not JSON', HEADER, withHeaderText('{"alg":"RS256","kid":"rsa",}')],
  ['an empty header', HEADER, ({ clock }) => `.${part(claimsAt(clock))}.x-Y_`],
  ['a header that is not UTF-8', HEADER, ({ clock }) => `${notUtf8('kid')}.${part(claimsAt(clock))}.AAAA`],

  // Tokens with invalid claims.
  ['another issuer', /issuer/, withClaims({ iss: 'https://other.example.test/' })],
  ['an issuer that differs in its last character', /issuer/, withClaims({ iss: ISSUER.slice(0, -1) })],
  ['another audience', /audience/, withClaims({ aud: 'https://other.example.test' })],
  ['other audiences', /audience/, withClaims({ aud: ['https://other.example.test', 'https://api.example.test/'] })],
  ['an audience that contains the right one', /audience/, withClaims({ aud: 'https://api.example.test.evil.test' })],
  ['no expiry', /numeric claim exp/, withClaims({ exp: undefined })],
  ['an expiry that is not a number', /numeric claim exp/, withClaims({ exp: '9999999999' })],
  ['long expired', /has expired/, withClaims({ exp: 0 })],
  [
    'expired by the accepted clock difference',
    /has expired/,
    ({ clock }) => aToken(rsa, clock, { exp: soon(clock, -30) }),
  ],
  ['not valid yet', /not valid yet/, ({ clock }) => aToken(rsa, clock, { nbf: soon(clock, 31) })],
  ['an nbf that is not a number', /not valid yet/, withClaims({ nbf: '0' })],
  [
    'bound to a certificate',
    /bound to a key/,
    withClaims({ cnf: { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' } }),
  ],
  ['bound by an empty cnf', /bound to a key/, withClaims({ cnf: null })],
  ['no subject', OWNER, withClaims({ sub: undefined })],
  ['an empty subject', OWNER, withClaims({ sub: '' })],
  ['a subject of 256 characters', OWNER, withClaims({ sub: 'a'.repeat(256) })],
  ['a subject with a line break', OWNER, withClaims({ sub: 'acme\n' })],
  ['a subject with a non-ASCII character', OWNER, withClaims({ sub: 'ácme' })],
  ['a subject that resembles another', OWNER, withClaims({ sub: 'аcme' })],
  ['a subject that is a number', OWNER, withClaims({ sub: 5 })],
  ['claims that are not JSON', /claims .* malformed/, withClaimsText('sub=acme')],
  ['claims that are a list', /claims .* malformed/, withClaimsText('[]')],

  // Malformed tokens.
  ['more than 8 KiB', /at most 8 KiB/, withClaims({ note: 'x'.repeat(8192) })],
  ['an encrypted token', FORM, () => `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.AAAA.AAAA.AAAA.AAAA`],
  ['a header alone', FORM, tampered(([header]) => header)],
  ['no signature', FORM, tampered(([header, claims]) => `${header}.${claims}`)],
  ['a part more', FORM, tampered((parts) => `${parts.join('.')}.AAAA`)],
  ['a dot more', FORM, tampered((parts) => `${parts.join('.')}.`)],
  ['some text', FORM, () => 'letmein'],
  ['a signature with padding', FORM, tampered((parts) => `${parts.join('.')}==`)],
  ['a signature with stray bits', FORM, tampered(([header, claims]) => `${header}.${claims}.AB`)],
  ['a space within', FORM, tampered(([header, claims, signature]) => `${header}.${claims} .${signature}`)],
  ['a tab after', FORM, tampered((parts) => `${parts.join('.')}\t`)],
  ['another token after a comma', FORM, tampered((parts) => `${parts.join('.')}, Bearer ${parts.join('.')}`)],
  [
    'a truncated signature',
    KEY,
    tampered(([header, claims, signature]) => `${header}.${claims}.${signature.slice(0, 84)}`),
  ],
  ['the signature of another token', KEY, tampered(([header, claims]) => `${header}.${claims}.${otherSignature()}`)],
  ['other claims', KEY, tampered(([header, , signature]) => `${header}.${part({ sub: 'other' })}.${signature}`)],
  ['another header', KEY, tampered(([, claims, signature]) => `${part({ alg: 'RS256' })}.${claims}.${signature}`)],
];

function soon(clock: Clock, seconds: number): number {
  return secondsOf(clock) + seconds;
}

function psToken(clock: Clock): string {
  return tokenOf({ alg: 'PS256', kid: 'rsa' }, claimsAt(clock), rsa, 'PS256');
}

function rs512Token(clock: Clock): string {
  return tokenOf({ alg: 'RS512', kid: 'rsa' }, claimsAt(clock), rsa, 'RS512');
}

function otherSignature(): string {
  return signatureOf('another token', rsa, 'RS256').toString('base64url');
}

function derOf({ publicKey }: typeof foreign): string {
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

function notUtf8(name: string): string {
  return Buffer.concat([Buffer.from(`{"alg":"RS256","${name}":"`), Buffer.from([0xff]), Buffer.from('"}')]).toString(
    'base64url',
  );
}

describe('an invalid token', () => {
  it.each(ATTACKS)('is rejected: %s', async (_, why, forge) => {
    const own = await anIssuer(rsa.jwk({ alg: 'RS256', use: 'sig' }), ec.jwk(), pss.jwk({ alg: 'PS256' }));
    const elsewhere = await anIssuer(foreign.jwk(), { ...foreign.jwk(), kid: 'new' });
    const { client, clock } = await anApiOf(own);
    const good = bearer(aToken(rsa, clock));
    const { url, response } = await client.place({}, good);

    const bad = bearer(forge({ clock, elsewhere: elsewhere.jwksUrl }));
    const responses = [
      await client.get('/v1/orders', bad),
      await client.get(url, bad),
      await client.post('/v1/orders', aNewOrder(), bad),
      await client.delete(url, bad),
    ];
    for (const refused of responses) {
      expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
      expect(refused.body).toHaveProperty('detail', expect.stringMatching(why));
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer realm="orders", error="invalid_token", error_d/);
    }
    expect(elsewhere.requestCount()).toBe(0);
    expect((await client.get(url, good)).text).toBe(response.text);
    expect((await client.get('/v1/orders', good)).body).toMatchObject({ data: [expect.anything()] });
  });
});
