import { describe, expect, it } from 'vitest';
import { aSigningKey, type Json, type SigningKey } from './a-token.ts';
import { aToken, anApiOf, anIssuer, answering, bearer, HANGING_UP, type Issuer, SILENCE } from './an-issuer.ts';

const first = aSigningKey('ES256', 'first');
const second = aSigningKey('ES256', 'second');
const MINUTES = 60_000;
/** What happens in the background happens soon, but not on every machine at once. */
const PATIENTLY = { timeout: 20_000 };

/** An API over the keys of `issuer`, which is asked with a token of a key, or with several at once. */
async function over(issuer: Issuer) {
  const warnings: unknown[] = [];
  const { client, clock } = await anApiOf(issuer, { warn: (_, error) => warnings.push(error) });
  const ask = (key: SigningKey, header: Json = {}) =>
    client.get('/v1/orders', bearer(aToken(key, clock, { exp: 1e10 }, header)));
  const statusFor = async (key: SigningKey, header?: Json) => (await ask(key, header)).status;
  const statusesFor = (keys: readonly SigningKey[]) => Promise.all(keys.map((key) => statusFor(key)));
  return { ask, clock, statusFor, statusesFor, warnings };
}

const many = (key: SigningKey): readonly SigningKey[] => Array.from({ length: 20 }, () => key);
/** As many keys that nobody knows. */
const unknown = Array.from({ length: 20 }, (_, index): SigningKey => ({ ...second, kid: `unknown ${index}` }));

/** How often `issuer` was asked until it has answered somebody else who asks it now. */
async function askedMeanwhile(issuer: Issuer): Promise<number> {
  const { statusFor } = await over(issuer);
  await statusFor(first);
  return issuer.asked() - 1;
}

describe('the keys of an issuer', () => {
  it('are fetched when the first token comes', async () => {
    const issuer = await anIssuer(first.jwk());
    const { ask, statusFor } = await over(issuer);
    expect(issuer.asked()).toBe(0);
    expect((await ask(first)).status).toBe(200);
    expect(issuer.asked()).toBe(1);
    expect(await statusFor(first)).toBe(200);
    expect(issuer.asked()).toBe(1);
  });

  it('are not fetched for what cannot be a token', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor } = await over(issuer);
    expect(await statusFor(first, { alg: 'none' })).toBe(401);
    expect(issuer.asked()).toBe(0);
  });

  it('are fetched once by requests that come at the same moment', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusesFor } = await over(issuer);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([200]));
    expect(issuer.asked()).toBe(1);
  });

  it('are fetched anew in the background after ten minutes', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    issuer.publish(second.jwk());
    clock.advance(10 * MINUTES - 1);
    await statusesFor(many(first));
    expect(await askedMeanwhile(issuer)).toBe(1);
    clock.advance(1);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([200]));
    await expect.poll(() => statusFor(first), PATIENTLY).toBe(401);
    expect(await statusFor(second)).toBe(200);
  });

  it('go on while newer ones take their time', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor } = await over(issuer);
    await statusFor(first);
    const held = Promise.withResolvers<() => void>();
    issuer.answer((response) => held.resolve(() => answering(JSON.stringify({ keys: [second.jwk()] }))(response)));
    clock.advance(10 * MINUTES);
    expect(await statusFor(first)).toBe(200);
    const answer = await held.promise;
    expect(await statusFor(first)).toBe(200);
    expect(issuer.asked()).toBe(2);
    answer();
    await expect.poll(() => statusFor(second), PATIENTLY).toBe(200);
    expect(await statusFor(first)).toBe(401);
  });
});

describe('a key that is not known', () => {
  it('is looked for once, and found when it is new', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    issuer.publish(first.jwk(), second.jwk());
    expect(await statusesFor([...many(second), first])).toEqual(Array.from({ length: 21 }, () => 200));
    expect(issuer.asked()).toBe(2);
  });

  it('is looked for once in thirty seconds, however many there are', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    expect(new Set(await statusesFor(unknown))).toEqual(new Set([401]));
    expect(await statusFor(second)).toBe(401);
    expect(issuer.asked()).toBe(2);
    issuer.publish(first.jwk(), second.jwk());
    clock.advance(29_999);
    expect(new Set(await statusesFor([...unknown, second]))).toEqual(new Set([401]));
    expect(await statusFor(first)).toBe(200);
    expect(issuer.asked()).toBe(2);
    clock.advance(1);
    expect(await statusFor(second)).toBe(200);
    expect(issuer.asked()).toBe(3);
  });

  it('is looked for by the refresh that is under way', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    issuer.publish(second.jwk());
    clock.advance(10 * MINUTES);
    expect(new Set(await statusesFor(many(second)))).toEqual(new Set([200]));
    expect(new Set(await statusesFor(unknown))).toEqual(new Set([401]));
    expect(issuer.asked()).toBe(2);
  });

  it('may or may not be good as long as the issuer does not answer', async () => {
    const issuer = await anIssuer(first.jwk());
    const { ask, clock, statusFor, statusesFor, warnings } = await over(issuer);
    await statusFor(first);
    issuer.answer(HANGING_UP);
    const refused = await ask(second);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 'unavailable' } });
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    expect(new Set(await statusesFor(unknown))).toEqual(new Set([503]));
    expect(await statusFor(first)).toBe(200);
    expect(issuer.asked()).toBe(2);
    expect(warnings).toHaveLength(1);
    issuer.publish(first.jwk());
    clock.advance(30_000);
    expect(await statusFor(second)).toBe(401);
    expect(issuer.asked()).toBe(3);
  });

  it('is looked for again when the clock was set back', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor } = await over(issuer);
    await statusFor(first);
    await statusFor(second);
    issuer.publish(second.jwk());
    clock.advance(-60 * MINUTES);
    expect(await statusFor(second)).toBe(200);
  });
});

describe('an issuer that is gone', () => {
  it('leaves its keys, for however long', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, warnings } = await over(issuer);
    await statusFor(first);
    await issuer.stop();
    for (const day of [1, 2, 3]) {
      clock.advance(24 * 60 * MINUTES);
      expect(await statusFor(first)).toBe(200);
      await expect.poll(() => warnings, PATIENTLY).toHaveLength(day);
    }
    issuer.publish(second.jwk());
    await issuer.start();
    clock.advance(30_000);
    await expect.poll(() => statusFor(first), PATIENTLY).toBe(401);
    expect(await statusFor(second)).toBe(200);
  });

  it('is asked for newer keys once in thirty seconds', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusesFor, statusFor, warnings } = await over(issuer);
    await statusFor(first);
    issuer.answer(HANGING_UP);
    clock.advance(10 * MINUTES);
    await statusesFor(many(first));
    await expect.poll(() => warnings, PATIENTLY).toHaveLength(1);
    clock.advance(29_999);
    await statusesFor(many(first));
    expect(await askedMeanwhile(issuer)).toBe(2);
    clock.advance(1);
    await statusesFor(many(first));
    await expect.poll(() => warnings, PATIENTLY).toHaveLength(2);
    expect(issuer.asked()).toBe(4);
  });

  it('leaves nothing to judge by when it was never there', async () => {
    const issuer = await anIssuer(first.jwk());
    const { ask, clock, statusFor, warnings } = await over(issuer);
    await issuer.stop();
    const refused = await ask(first);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 'unavailable' } });
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    expect(refused.text).not.toMatch(/127\.0\.0\.1|fetch|ECONN/);
    expect(warnings).toHaveLength(1);
    await issuer.start();
    clock.advance(1000);
    expect(await statusFor(first)).toBe(200);
  });

  it('is asked once a second as long as there are no keys', async () => {
    const issuer = await anIssuer();
    issuer.answer(HANGING_UP);
    const { clock, statusesFor } = await over(issuer);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    clock.advance(999);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    expect(issuer.asked()).toBe(1);
    clock.advance(1);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    expect(issuer.asked()).toBe(2);
  });

  it('is waited for no longer than five seconds, by all together', async () => {
    const issuer = await anIssuer();
    issuer.answer(SILENCE);
    const { statusesFor, statusFor } = await over(issuer);
    const begun = performance.now();
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    const waited = performance.now() - begun;
    expect(waited).toBeGreaterThan(4900);
    expect(waited).toBeLessThan(9000);
    expect(await statusFor(first)).toBe(503);
    expect(issuer.asked()).toBe(1);
  });
});

describe('an issuer that answers with something else', () => {
  const keys = JSON.stringify({ keys: [second.jwk()] });

  it.each([
    ['no JSON', answering('<html>')],
    ['nothing', answering('')],
    ['null', answering('null')],
    ['a list', answering(`[${JSON.stringify(second.jwk())}]`)],
    ['no keys', answering('{}')],
    ['keys that are no list', answering(JSON.stringify({ keys: second.jwk() }))],
    ['no key', answering('{"keys":[]}')],
    ['no key that verifies', answering('{"keys":[{"kty":"oct","k":"AAAA"},null]}')],
    ['an error', answering(keys, 500)],
    ['another success', answering(keys, 203)],
    [
      'half of it',
      (response) => response.writeHead(200, { 'content-length': 9999 }).write(keys, () => response.destroy()),
    ],
  ] satisfies [string, Parameters<Issuer['answer']>[0]][])('is taken as gone: %s', async (_, something) => {
    const issuer = await anIssuer();
    issuer.answer(something);
    const { clock, statusFor, warnings } = await over(issuer);
    expect(await statusFor(second)).toBe(503);
    issuer.publish(first.jwk());
    clock.advance(1000);
    expect(await statusFor(first)).toBe(200);
    issuer.answer(something);
    expect(await statusFor(second)).toBe(503);
    expect(await statusFor(first)).toBe(200);
    expect(warnings).toHaveLength(2);
  });

  it('is not followed elsewhere', async () => {
    const elsewhere = await anIssuer(second.jwk());
    const issuer = await anIssuer();
    issuer.answer(answering('', 302, { location: elsewhere.jwksUrl }));
    const { statusFor } = await over(issuer);
    expect(await statusFor(second)).toBe(503);
    expect(elsewhere.asked()).toBe(0);
  });
});

describe('a key among others', () => {
  const weak = aSigningKey('RS256', 'weak', 1024);
  const rsa = aSigningKey('RS256', 'rsa');

  it.each<[string, unknown, SigningKey]>([
    ['for encryption', second.jwk({ use: 'enc' }), second],
    ['for another algorithm', second.jwk({ alg: 'ES384' }), second],
    ['for something else than verifying', second.jwk({ key_ops: ['deriveBits'] }), second],
    ['that is private', { ...second.privateKey.export({ format: 'jwk' }), kid: 'second' }, second],
    ['of an unknown kind', second.jwk({ kty: 'XY' }), second],
    ['of an unknown curve', second.jwk({ crv: 'P-1024' }), second],
    ['that is broken', second.jwk({ x: 'AAAA' }), second],
    ['that lacks a part', second.jwk({ y: undefined }), second],
    ['that is a secret', { kty: 'oct', kid: 'second', k: 'AAAA', alg: 'ES256' }, second],
    ['that is too short', weak.jwk(), weak],
    ['that has an RSA algorithm and a curve', second.jwk({ alg: 'RS256' }), second],
    ['that is null', null, second],
    ['that is text', 'second', second],
  ])('does not verify, and does not spoil them: %s', async (_, useless, key) => {
    const { statusFor } = await over(await anIssuer(useless, first.jwk(), rsa.jwk()));
    expect(await statusFor(first)).toBe(200);
    expect(await statusFor(rsa)).toBe(200);
    expect(await statusFor(key)).toBe(401);
    expect(await statusFor(key, { kid: undefined })).toBe(401);
  });

  it('is found without a name when it is the only one that fits', async () => {
    const issuer = await anIssuer(rsa.jwk(), first.jwk({ use: 'sig' }), second.jwk({ use: 'enc' }));
    const { statusFor } = await over(issuer);
    expect(await statusFor(first, { kid: undefined })).toBe(200);
    expect(issuer.asked()).toBe(1);
  });

  it('is found without a name among several that fit', async () => {
    const broken = first.jwk({ x: 'AAAA' });
    const { statusFor } = await over(await anIssuer(broken, rsa.jwk(), first.jwk(), second.jwk()));
    expect(await statusFor(second, { kid: undefined })).toBe(200);
    expect(await statusFor(first, { kid: undefined })).toBe(200);
    expect(await statusFor(aSigningKey('ES256'), { kid: undefined })).toBe(401);
  });

  it('is found when another has its name', async () => {
    const { statusFor } = await over(
      await anIssuer(rsa.jwk({ kid: 'x' }), first.jwk({ kid: 'x' }), second.jwk({ kid: 'x' })),
    );
    expect(await statusFor(rsa, { kid: 'x' })).toBe(200);
    expect(await statusFor(first, { kid: 'x' })).toBe(200);
    expect(await statusFor(second, { kid: 'x' })).toBe(200);
  });

  it('needs no name of its own', async () => {
    const { statusFor } = await over(await anIssuer(first.jwk({ kid: undefined })));
    expect(await statusFor(first, { kid: undefined })).toBe(200);
    expect(await statusFor(first)).toBe(401);
  });
});
