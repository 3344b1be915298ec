import { describe, expect, it } from 'vitest';
import { aSigningKey, type SigningKey } from './a-token.ts';
import { anIssuer } from './an-issuer.ts';
import { over } from './requests-by-key.ts';

const first = aSigningKey('ES256', 'first');
const second = aSigningKey('ES256', 'second');

describe('a key among others', () => {
  const weak = aSigningKey('RS256', 'weak', 1024);
  const rsa = aSigningKey('RS256', 'rsa');

  it.each<[string, unknown, SigningKey]>([
    ['for encryption', second.jwk({ use: 'enc' }), second],
    ['for something else than verifying', second.jwk({ key_ops: ['deriveBits'] }), second],
    ['that is private', { ...second.privateKey.export({ format: 'jwk' }), kid: 'second' }, second],
    ['that is broken', second.jwk({ x: 'AAAA' }), second],
    ['that is a secret', { kty: 'oct', kid: 'second', k: 'AAAA', alg: 'ES256' }, second],
    ['that is too short', weak.jwk(), weak],
    ['that is null', null, second],
  ])('does not verify tokens, and does not affect other keys: %s', async (_, useless, key) => {
    const { statusFor } = await over(await anIssuer(useless, first.jwk(), rsa.jwk()));
    expect(await statusFor(first)).toBe(200);
    expect(await statusFor(rsa)).toBe(200);
    expect(await statusFor(key)).toBe(401);
    expect(await statusFor(key, { kid: undefined })).toBe(401);
  });

  it('is found without a kid among several suitable ones', async () => {
    const broken = first.jwk({ x: 'AAAA' });
    const { statusFor } = await over(await anIssuer(broken, rsa.jwk(), first.jwk(), second.jwk()));
    expect(await statusFor(second, { kid: undefined })).toBe(200);
    expect(await statusFor(first, { kid: undefined })).toBe(200);
    expect(await statusFor(aSigningKey('ES256'), { kid: undefined })).toBe(401);
  });

  it('is found if another key has the same kid', async () => {
    const { statusFor } = await over(
      await anIssuer(rsa.jwk({ kid: 'x' }), first.jwk({ kid: 'x' }), second.jwk({ kid: 'x' })),
    );
    expect(await statusFor(rsa, { kid: 'x' })).toBe(200);
    expect(await statusFor(first, { kid: 'x' })).toBe(200);
    expect(await statusFor(second, { kid: 'x' })).toBe(200);
  });

  it('needs no kid', async () => {
    const { statusFor } = await over(await anIssuer(first.jwk({ kid: undefined })));
    expect(await statusFor(first, { kid: undefined })).toBe(200);
    expect(await statusFor(first)).toBe(401);
  });
});
