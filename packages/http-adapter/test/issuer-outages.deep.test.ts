import { describe, expect, it } from 'vitest';
import { aSigningKey } from './a-token.ts';
import { anIssuer, answering, HANGING_UP, type Issuer, SILENCE } from './an-issuer.ts';
import { askedMeanwhile, many, MINUTES, over, PATIENTLY } from './asking-by-key.ts';

const first = aSigningKey('ES256', 'first');
const second = aSigningKey('ES256', 'second');

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
    expect(await askedMeanwhile(issuer, first)).toBe(2);
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
