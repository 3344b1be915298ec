import { describe, expect, it } from 'vitest';
import { aSigningKey } from './a-token.ts';
import { anIssuer, responding, HANGING_UP, type Issuer, SILENCE } from './an-issuer.ts';
import { requestsMeanwhile, many, MINUTES, over } from './requests-by-key.ts';

const first = aSigningKey('ES256', 'first');
const second = aSigningKey('ES256', 'second');

describe('an unreachable issuer', () => {
  it('keeps its known keys valid', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, warnings } = await over(issuer);
    await statusFor(first);
    await issuer.stop();
    for (const day of [1, 2, 3]) {
      clock.advance(24 * 60 * MINUTES);
      expect(await statusFor(first)).toBe(200);
      await expect.poll(() => warnings).toHaveLength(day);
    }
    issuer.publish(second.jwk());
    await issuer.start();
    clock.advance(30_000);
    await expect.poll(() => statusFor(first)).toBe(401);
    expect(await statusFor(second)).toBe(200);
  });

  it('is queried for newer keys once in thirty seconds', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusesFor, statusFor, warnings } = await over(issuer);
    await statusFor(first);
    issuer.respondWith(HANGING_UP);
    clock.advance(10 * MINUTES);
    await statusesFor(many(first));
    await expect.poll(() => warnings).toHaveLength(1);
    clock.advance(29_999);
    await statusesFor(many(first));
    expect(await requestsMeanwhile(issuer, first)).toBe(2);
    clock.advance(1);
    await statusesFor(many(first));
    await expect.poll(() => warnings).toHaveLength(2);
    expect(issuer.requestCount()).toBe(4);
  });

  it('causes 503 if its keys were never fetched', async () => {
    const issuer = await anIssuer(first.jwk());
    const { send, clock, statusFor, warnings } = await over(issuer);
    await issuer.stop();
    const refused = await send(first);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 'unavailable' } });
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    expect(refused.text).not.toMatch(/127\.0\.0\.1|fetch|ECONN/);
    expect(warnings).toHaveLength(1);
    await issuer.start();
    clock.advance(1000);
    expect(await statusFor(first)).toBe(200);
  });

  it('is queried once a second while no keys are known', async () => {
    const issuer = await anIssuer();
    issuer.respondWith(HANGING_UP);
    const { clock, statusesFor } = await over(issuer);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    clock.advance(999);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    expect(issuer.requestCount()).toBe(1);
    clock.advance(1);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    expect(issuer.requestCount()).toBe(2);
  });

  it('delays all requests together by at most five seconds', async () => {
    const issuer = await anIssuer();
    issuer.respondWith(SILENCE);
    const { statusesFor, statusFor } = await over(issuer);
    const begun = performance.now();
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([503]));
    const waited = performance.now() - begun;
    expect(waited).toBeGreaterThan(4900);
    // One after the other they would wait longer.
    expect(waited).toBeLessThan(30_000);
    expect(await statusFor(first)).toBe(503);
    expect(issuer.requestCount()).toBe(1);
  });
});

describe('an issuer with an invalid response', () => {
  const keys = JSON.stringify({ keys: [second.jwk()] });

  it.each([
    ['no JSON', responding('<html>')],
    ['a list', responding(`[${JSON.stringify(second.jwk())}]`)],
    ['no key', responding('{"keys":[]}')],
    ['no key for signatures', responding('{"keys":[{"kty":"oct","k":"AAAA"},null]}')],
    ['an error', responding(keys, 500)],
    ['another success', responding(keys, 203)],
    [
      'an incomplete response',
      (response) => response.writeHead(200, { 'content-length': 9999 }).write(keys, () => response.destroy()),
    ],
  ] satisfies [string, Parameters<Issuer['respondWith']>[0]][])('counts as unreachable: %s', async (_, something) => {
    const issuer = await anIssuer();
    issuer.respondWith(something);
    const { clock, statusFor, warnings } = await over(issuer);
    expect(await statusFor(second)).toBe(503);
    issuer.publish(first.jwk());
    clock.advance(1000);
    expect(await statusFor(first)).toBe(200);
    issuer.respondWith(something);
    expect(await statusFor(second)).toBe(401);
    expect(await statusFor(first)).toBe(200);
    expect(warnings).toHaveLength(2);
  });

  it('has redirects that are not followed', async () => {
    const elsewhere = await anIssuer(second.jwk());
    const issuer = await anIssuer();
    issuer.respondWith(responding('', 302, { location: elsewhere.jwksUrl }));
    const { statusFor } = await over(issuer);
    expect(await statusFor(second)).toBe(503);
    expect(elsewhere.requestCount()).toBe(0);
  });
});
