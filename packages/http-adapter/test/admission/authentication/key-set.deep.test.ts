import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aSigningKey, type SigningKey } from './a-token.ts';
import { anIssuer, responding, HANGING_UP } from './an-issuer.ts';
import { requestsMeanwhile, many, MINUTES, over } from './requests-by-key.ts';

const first = aSigningKey('ES256', 'first');
const second = aSigningKey('ES256', 'second');
const third = aSigningKey('ES256', 'third');
/** Twenty unknown keys. */
const unknown = many(second).map((key, index): SigningKey => ({ ...key, kid: `unknown ${index}` }));

describe('the keys of an issuer', () => {
  it('are fetched for the first token', async () => {
    const issuer = await anIssuer(first.jwk());
    const { send, statusFor } = await over(issuer);
    expect(issuer.requestCount()).toBe(0);
    expect((await send(first)).status).toBe(200);
    expect(issuer.requestCount()).toBe(1);
    expect(await statusFor(first)).toBe(200);
    expect(issuer.requestCount()).toBe(1);
  });

  it('are not fetched for malformed tokens', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor } = await over(issuer);
    expect(await statusFor(first, { alg: 'none' })).toBe(401);
    expect(issuer.requestCount()).toBe(0);
  });

  it('are refreshed in the background after ten minutes', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    issuer.publish(second.jwk());
    clock.advance(10 * MINUTES - 1);
    await statusesFor(many(first));
    expect(await requestsMeanwhile(issuer, first)).toBe(1);
    clock.advance(1);
    expect(new Set(await statusesFor(many(first)))).toEqual(new Set([200]));
    await expect.poll(() => statusFor(first)).toBe(401);
    expect(await statusFor(second)).toBe(200);
  });

  it('are used until the refresh finishes', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor } = await over(issuer);
    await statusFor(first);
    const held = Promise.withResolvers<() => void>();
    issuer.respondWith((response) =>
      held.resolve(() => responding(JSON.stringify({ keys: [second.jwk()] }))(response)),
    );
    clock.advance(10 * MINUTES);
    expect(await statusFor(first)).toBe(200);
    const respondWith = await held.promise;
    expect(await statusFor(first)).toBe(200);
    expect(issuer.requestCount()).toBe(2);
    issuer.publish(second.jwk());
    respondWith();
    await expect.poll(() => statusFor(second)).toBe(200);
    expect(await statusFor(first)).toBe(401);
  });
});

describe('a key set that is too large', () => {
  const padded = JSON.stringify({ keys: [first.jwk()], padding: 'x'.repeat(262_144) });
  it.each([
    ['in bytes', responding(padded), 'the key set has more than 262144 bytes'],
    [
      'once decoded',
      responding(gzipSync(padded), 200, { 'content-encoding': 'gzip' }),
      'the key set has more than 262144 bytes',
    ],
    [
      'in keys',
      responding(JSON.stringify({ keys: Array.from({ length: 101 }, () => first.jwk()) })),
      'the key set has more than 100 keys',
    ],
    ['and that is an error', responding(padded, 500), 'the key set URL returned status 500'],
  ])('is not used, and is read no further: %s', async (_, respond, message) => {
    const issuer = await anIssuer();
    issuer.respondWith(respond);
    const { statusFor, warnings } = await over(issuer);
    expect([await statusFor(first), warnings]).toEqual([503, [new Error(message)]]);
  });

  it('ends the connection of an issuer that sends on', async () => {
    const issuer = await anIssuer();
    const closed = Promise.withResolvers<number>();
    issuer.respondWith((response) => {
      const { socket } = response;
      response.on('close', () => closed.resolve(socket?.bytesWritten ?? 0));
      Readable.from(Array.from({ length: 1000 }, () => Buffer.alloc(65_536, ' '))).pipe(response);
    });
    const { statusFor } = await over(issuer);
    expect(await statusFor(first)).toBe(503);
    expect(await closed.promise).toBeLessThan(2 ** 24);
  });
});

describe('an unknown key', () => {
  it('causes one fetch, which finds a new key', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    issuer.publish(first.jwk(), second.jwk());
    expect(await statusesFor([...many(second), first])).toEqual(Array.from({ length: 21 }, () => 200));
    expect(issuer.requestCount()).toBe(2);
  });

  it('causes one fetch in thirty seconds', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    expect(new Set(await statusesFor(many(second)))).toEqual(new Set([401]));
    expect(issuer.requestCount()).toBe(2);
    clock.advance(29_999);
    expect(new Set(await statusesFor(many(second)))).toEqual(new Set([401]));
    expect(issuer.requestCount()).toBe(2);
    issuer.publish(first.jwk(), second.jwk());
    clock.advance(1);
    expect(await statusFor(second)).toBe(200);
    expect(issuer.requestCount()).toBe(3);
  });

  it('does not prevent the lookup of a key that is published later', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    expect(new Set(await statusesFor(unknown))).toEqual(new Set([401]));
    issuer.publish(first.jwk(), second.jwk());
    expect(new Set(await statusesFor([second, first]))).toEqual(new Set([200]));
    // One fetch for the first unknown key, one for those that came during it, and one for the new key.
    expect(issuer.requestCount()).toBe(4);
  });

  it('does not prevent the lookup of a key during an older fetch', async () => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor } = await over(issuer);
    await statusFor(first);
    const held = Promise.withResolvers<() => void>();
    issuer.respondWith((response) => held.resolve(() => responding(JSON.stringify({ keys: [first.jwk()] }))(response)));
    const garbage = statusFor({ ...second, kid: 'garbage' });
    const respondLate = await held.promise;
    issuer.publish(first.jwk(), second.jwk());
    const rotated = statusFor(second);
    respondLate();
    expect(await Promise.all([garbage, rotated])).toEqual([401, 200]);
    expect(issuer.requestCount()).toBe(3);
  });

  it('causes at most six fetches at first and ten in each further minute', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusesFor } = await over(issuer);
    await statusFor(first);
    for (const key of unknown) await statusFor(key);
    expect(issuer.requestCount()).toBe(6);
    for (let elapsed = 0; elapsed < 120; elapsed += 1) {
      clock.advance(1000);
      await statusesFor(unknown.slice(0, 3).map((key) => ({ ...key, kid: `${key.kid} ${elapsed}` })));
    }
    expect(issuer.requestCount()).toBe(26);
    // A pause accumulates at most five fetches.
    clock.advance(5 * MINUTES);
    for (const key of unknown) await statusFor({ ...key, kid: `${key.kid} late` });
    expect(issuer.requestCount()).toBe(31);
  });

  it.each([
    ['responds', undefined],
    ['does not respond', HANGING_UP],
  ])('counts against the address, even beyond the budget, while the issuer %s', async (_, responder) => {
    const issuer = await anIssuer(first.jwk());
    const { statusFor } = await over(issuer, { anonymous: 10 });
    await statusFor(first);
    if (responder) issuer.respondWith(responder);
    const statuses: number[] = [];
    for (const key of unknown) statuses.push(await statusFor(key));
    expect(statuses).toEqual(unknown.map((_key, index) => (index < 10 ? 401 : 429)));
    expect(await statusFor(first)).toBe(200);
  });

  it('leaves a fetch to other addresses if its own has no requests left', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor, statusFrom } = await over(issuer, { anonymous: 1 });
    await statusFor(first);
    const statuses: number[] = [];
    for (const key of unknown) statuses.push(await statusFrom('203.0.113.1', key));
    expect(statuses).toEqual(unknown.map((_, index) => (index < 1 ? 401 : 429)));
    issuer.publish(first.jwk(), second.jwk());
    expect(await statusFrom('203.0.113.1', second)).toBe(429);
    expect(await statusFrom('192.0.2.1', second)).toBe(200);
    issuer.publish(third.jwk());
    clock.advance(11_999);
    expect(await statusFrom('203.0.113.1', third)).toBe(429);
    clock.advance(1);
    expect(await statusFrom('203.0.113.1', third)).toBe(200);
  });

  it('causes a new fetch if the clock was set back', async () => {
    const issuer = await anIssuer(first.jwk());
    const { clock, statusFor } = await over(issuer);
    await statusFor(first);
    await statusFor(second);
    issuer.publish(second.jwk());
    clock.advance(-60 * MINUTES);
    expect(await statusFor(second)).toBe(200);
  });
});
